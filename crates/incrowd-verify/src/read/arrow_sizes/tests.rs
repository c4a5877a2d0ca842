//! Streams and files of Arrow messages that promise more, less or other things than they have.

mod batches;

use std::io::Cursor;

use arrow::datatypes::{DataType, Field, Schema};
use arrow::ipc::convert::IpcSchemaEncoder;
use arrow::ipc::{
    Block, BodyCompression, BodyCompressionArgs, Buffer, DictionaryBatch, DictionaryBatchArgs, FieldNode, Footer,
    FooterArgs, Message, MessageArgs, RecordBatchArgs,
};

use super::*;

const BROKEN: &str = "it is not a complete Arrow file, or its compression is not supported";
const CUT: &str = "it is truncated: the stream has no end-of-stream marker";
const BEHIND: &str = "there is data after its end";
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/// What is said, or why nothing is.
fn told<T>(said: Result<T, ReadError>) -> Result<T, String> {
    said.map_err(|error| match error {
        ReadError::Unreadable(why) => why,
        ReadError::Cancelled => "cancelled".into(),
    })
}

fn refused<T>(why: &str) -> Result<T, String> {
    Err(why.to_owned())
}

fn no_limit() -> MemoryBounds {
    MemoryBounds::new(None)
}

/// What a message says of a batch.
#[derive(Clone, Default)]
struct Said {
    rows: i64,
    nodes: Vec<(i64, i64)>,
    buffers: Vec<(i64, i64)>,
    codec: Option<CompressionType>,
}

/// A message with the length of its body. A schema has two columns.
fn message(kind: MessageHeader, said: &Said, body: i64) -> Vec<u8> {
    let fields: Vec<Field> = ["a", "b"].iter().map(|name| Field::new(*name, DataType::Int8, true)).collect();
    let mut builder = IpcSchemaEncoder::new().schema_to_fb(&Schema::empty());
    builder.reset();
    let nodes: Vec<FieldNode> = said.nodes.iter().map(|(rows, nulls)| FieldNode::new(*rows, *nulls)).collect();
    let buffers: Vec<Buffer> = said.buffers.iter().map(|(offset, length)| Buffer::new(*offset, *length)).collect();
    let (nodes, buffers) = (builder.create_vector(&nodes), builder.create_vector(&buffers));
    let compression = said.codec.map(|codec| {
        let about = BodyCompressionArgs { codec, ..BodyCompressionArgs::default() };
        BodyCompression::create(&mut builder, &about)
    });
    let about = RecordBatchArgs {
        length: said.rows,
        nodes: Some(nodes),
        buffers: Some(buffers),
        compression,
        variadicBufferCounts: None,
    };
    let batch = RecordBatch::create(&mut builder, &about);
    let header = match kind {
        MessageHeader::Schema => {
            IpcSchemaEncoder::new().schema_to_fb_offset(&mut builder, &Schema::new(fields)).as_union_value()
        }
        MessageHeader::DictionaryBatch => {
            let about = DictionaryBatchArgs { data: Some(batch), ..DictionaryBatchArgs::default() };
            DictionaryBatch::create(&mut builder, &about).as_union_value()
        }
        _ => batch.as_union_value(),
    };
    let about = MessageArgs { header_type: kind, header: Some(header), bodyLength: body, ..MessageArgs::default() };
    let message = Message::create(&mut builder, &about);
    builder.finish(message, None);
    builder.finished_data().to_vec()
}

/// A message as it stands in a file, to a number of bytes that is a multiple of 8.
fn framed(message: &[u8]) -> Vec<u8> {
    let size = message.len().next_multiple_of(8);
    let mut bytes = [&CONTINUATION[..], &i32::try_from(size).expect("a short message").to_le_bytes(), message].concat();
    bytes.resize(8 + size, 0);
    bytes
}

fn schema() -> Vec<u8> {
    framed(&message(MessageHeader::Schema, &Said::default(), 0))
}

fn of_kind(kind: MessageHeader, body: usize) -> Vec<u8> {
    [framed(&message(kind, &Said::default(), body as i64)), vec![7; body]].concat()
}

fn batch(body: usize) -> Vec<u8> {
    of_kind(MessageHeader::RecordBatch, body)
}

fn dictionary(body: usize) -> Vec<u8> {
    of_kind(MessageHeader::DictionaryBatch, body)
}

fn stream(parts: &[&[u8]], bounds: &MemoryBounds) -> Result<(), String> {
    told(check_stream(&mut Cursor::new(parts.concat()), bounds))
}

#[test]
fn a_stream_ends_where_it_says_that_it_ends() {
    let (schema, batch, dictionary) = (&schema()[..], &batch(8)[..], &dictionary(8)[..]);
    let negative = [&CONTINUATION[..], &[0xfe, 0xff, 0xff, 0xff]].concat();
    // Until version 0.15 of the format nothing stood before the length.
    let (old_schema, old_end) = (&schema[4..], &END[4..]);
    for (parts, expected) in [
        (&[schema, &END[..]][..], Ok(())),
        (&[schema, batch, dictionary, batch, &END], Ok(())),
        (&[old_schema, old_end], Ok(())),
        (&[old_schema, batch, old_end], Ok(())),
        (&[], refused(BROKEN)),
        (&[&END], refused(BROKEN)),
        (&[schema], refused(CUT)),
        (&[schema, batch], refused(CUT)),
        (&[schema, &END, &[0]], refused(BEHIND)),
        (&[schema, &END, batch, &END], refused(BEHIND)),
        (&[batch, &END], refused(BROKEN)),
        (&[dictionary, &END], refused(BROKEN)),
        (&[batch, schema, &END], refused(BROKEN)),
        (&[dictionary, schema, &END], refused(BROKEN)),
        (&[schema, schema, &END], refused(BROKEN)),
        (&[schema, &negative, &END], refused(BROKEN)),
        (&[schema, &of_kind(MessageHeader::Tensor, 0), &END], refused(BROKEN)),
        (&[schema, &framed(&[0xff; 16]), &END], refused(BROKEN)),
    ] {
        assert_eq!(
            stream(parts, &no_limit()),
            expected,
            "{:?}",
            parts.iter().map(|part| part.len()).collect::<Vec<_>>()
        );
    }
}

#[test]
fn a_stream_that_is_cut_off_at_any_byte_is_refused() {
    let parts = [schema(), batch(8), dictionary(8), END.to_vec()];
    let whole = parts.concat();
    let ends: Vec<usize> = (1..4).map(|parts_before| parts[..parts_before].concat().len()).collect();
    for end in 0..whole.len() {
        let expected = refused(if ends.contains(&end) { CUT } else { BROKEN });
        assert_eq!(stream(&[&whole[..end]], &no_limit()), expected, "{end} of {} bytes", whole.len());
        // What follows the place to which messages are read is not looked at.
        let met = messages(&mut Cursor::new(&whole), 0, end as u64, &no_limit());
        let is_whole = told(met).map(|met| (met.end, met.is_marked));
        assert_eq!(is_whole, if ends.contains(&end) { Ok((end as u64, false)) } else { refused(BROKEN) }, "to {end}");
    }
}

#[test]
fn the_place_of_each_message_is_noted() {
    let (schema, batch, dictionary) = (schema(), batch(8), dictionary(16));
    let file = [&[1; 5][..], &schema, &batch, &dictionary, &batch, &END, &[9; 3]].concat();
    let met = told(messages(&mut Cursor::new(&file), 5, file.len() as u64, &no_limit())).expect("whole messages");
    let signed = |length: usize| length as i64;
    let first = 5 + schema.len();
    let (second, third) = (first + batch.len(), first + batch.len() + dictionary.len());
    let head = signed(batch.len()) - 8;
    assert_eq!(met.batches, [(signed(first), head, 8), (signed(third), head, 8)]);
    assert_eq!(met.dictionaries, [(signed(second), signed(dictionary.len()) - 16, 16)]);
    assert_eq!((met.end, met.is_marked), (file.len() as u64 - 3, true));
}

#[test]
fn a_body_of_another_length_than_it_has_is_refused() {
    // A body of eight bytes is where the end of the stream was.
    for (said, expected) in
        [(0, Ok(())), (8, refused(CUT)), (9, refused(BROKEN)), (i64::MAX, refused(BROKEN)), (-1, refused(BROKEN))]
    {
        let last = framed(&message(MessageHeader::RecordBatch, &Said::default(), said));
        assert_eq!(stream(&[&schema(), &last, &END], &no_limit()), expected, "{said}");
    }
}

#[test]
fn what_is_read_in_one_piece_is_bounded() {
    let said = |what: &str| refused::<()>(&format!("{what} needs more memory than allowed"));
    let (s, end) = (&schema()[..], &END[..]);
    let (b8, b16, d8) = (&batch(8)[..], &batch(16)[..], &dictionary(8)[..]);
    let whole = |parts: &[&[u8]], bounds: MemoryBounds| {
        let parts: Vec<&[u8]> = [&[s][..], parts, &[end]].concat();
        stream(&parts, &bounds)
    };
    // Dictionaries are kept, and of the batches the largest counts.
    for (parts, bytes) in
        [(&[b8][..], 8), (&[b8, b8], 8), (&[b16, b8], 16), (&[b8, b16], 16), (&[d8, d8], 16), (&[d8, b8, d8, b16], 32)]
    {
        let bounds = |piece: u64| MemoryBounds { piece, ..no_limit() };
        assert_eq!(whole(parts, bounds(bytes)), Ok(()), "{bytes}");
        assert_eq!(whole(parts, bounds(bytes - 1)), said("a record batch"), "{bytes}");
    }
    for (columns, expected) in [(3, Ok(())), (2, Ok(())), (1, said("the list of its columns"))] {
        assert_eq!(whole(&[], MemoryBounds { columns, ..no_limit() }), expected, "{columns}");
    }
    let longest = s.len() as u64 - 8;
    for (about, expected) in [(longest, Ok(())), (longest - 1, said("the description of its data"))] {
        assert_eq!(whole(&[], MemoryBounds { about, ..no_limit() }), expected, "{about}");
    }
}

/// A footer that lists batches and dictionaries.
fn footer(batches: &[MessagePlace], dictionaries: &[MessagePlace]) -> Vec<u8> {
    let mut builder = IpcSchemaEncoder::new().schema_to_fb(&Schema::empty());
    builder.reset();
    let block = |place: &MessagePlace| Block::new(place.0, i32::try_from(place.1).expect("a short message"), place.2);
    let batches: Vec<Block> = batches.iter().map(block).collect();
    let dictionaries: Vec<Block> = dictionaries.iter().map(block).collect();
    let (batches, dictionaries) = (builder.create_vector(&batches), builder.create_vector(&dictionaries));
    let about = FooterArgs { recordBatches: Some(batches), dictionaries: Some(dictionaries), ..FooterArgs::default() };
    let footer = Footer::create(&mut builder, &about);
    builder.finish(footer, None);
    builder.finished_data().to_vec()
}

/// A file of these bytes before its footer.
fn closed(front: &[u8], footer: &[u8]) -> Vec<u8> {
    let size = i32::try_from(footer.len()).expect("a short footer").to_le_bytes();
    [front, footer, &size, &MAGIC[..]].concat()
}

fn file(bytes: Vec<u8>) -> Result<(), String> {
    told(check_file(&mut Cursor::new(bytes), &no_limit()))
}

/// The letters at the front, with padding to a length.
fn front(length: usize) -> Vec<u8> {
    let mut front = MAGIC.to_vec();
    front.resize(length, 0);
    front
}

#[test]
fn a_footer_lists_exactly_the_messages_of_its_file() {
    let (s, b, d) = (schema(), batch(8), dictionary(8));
    let body = [&front(8)[..], &s, &b, &d, &b, &END].concat();
    let place = |at: usize, of: &[u8]| (at as i64, of.len() as i64 - 8, 8);
    let at = 8 + s.len();
    let (first, words, second) = (place(at, &b), place(at + b.len(), &d), place(at + b.len() + d.len(), &b));
    let other = (first.0 + 1, first.1, first.2);
    for (batches, dictionaries, expected) in [
        (&[first, second][..], &[words][..], Ok(())),
        (&[second, first], &[words], refused(BROKEN)),
        (&[first], &[words], refused(BROKEN)),
        (&[first, second, second], &[words], refused(BROKEN)),
        (&[other, second], &[words], refused(BROKEN)),
        (&[(first.0, first.1 + 1, 8), second], &[words], refused(BROKEN)),
        (&[(first.0, first.1, 9), second], &[words], refused(BROKEN)),
        (&[first, second], &[], refused(BROKEN)),
        (&[first, second], &[words, words], refused(BROKEN)),
        (&[first, second], &[first], refused(BROKEN)),
        (&[], &[], refused(BROKEN)),
    ] {
        assert_eq!(file(closed(&body, &footer(batches, dictionaries))), expected, "{batches:?} {dictionaries:?}");
    }
    let whole = closed(&body, &footer(&[first, second], &[words]));
    for end in 0..whole.len() {
        assert!(file(whole[..end].to_vec()).is_err(), "{end} of {} bytes", whole.len());
    }
    for at in whole.len() - 10..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x80;
        assert_eq!(file(changed), refused(BROKEN), "{at} of {} bytes", whole.len());
    }
}

#[test]
fn between_the_end_of_the_messages_and_the_footer_are_few_zeros() {
    let nothing = footer(&[], &[]);
    let after = |rest: &[u8]| file(closed(&[&front(8)[..], &schema(), rest].concat(), &nothing));
    let marked = |gap: &[u8]| after(&[&END[..], gap].concat());
    // A file needs no mark of its end: its footer says where it is.
    assert_eq!((after(&[]), marked(&[])), (Ok(()), Ok(())));
    assert_eq!((marked(&[0]), marked(&[0; 64])), (Ok(()), Ok(())));
    for gap in [&[0; 65][..], &[1], &[0, 0, 1], &[1, 0, 0]] {
        assert_eq!(marked(gap), refused(BEHIND), "{gap:?}");
    }
}

#[test]
fn the_first_message_follows_the_padding_of_the_letters() {
    let nothing = footer(&[], &[]);
    let begun = |length: usize, first: &[u8]| file(closed(&[&front(length)[..], first, &END].concat(), &nothing));
    for (length, expected) in
        [(8, Ok(())), (16, Ok(())), (64, Ok(())), (72, Ok(())), (80, refused(BROKEN)), (7, refused(BROKEN))]
    {
        assert_eq!(begun(length, &schema()), expected, "{length}");
    }
    // A length whose first byte is zero is no padding.
    let mut long = message(MessageHeader::Schema, &Said::default(), 0);
    long.resize(1024, 0);
    let old = framed(&long)[4..].to_vec();
    assert_eq!((begun(8, &old), begun(64, &old)), (Ok(()), Ok(())));
}
