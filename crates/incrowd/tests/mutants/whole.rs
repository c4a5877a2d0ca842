//! Files that are damaged in a way that once went unseen.

use incrowd::{Engine, ReadOptions, Settings, Source};

use super::seeds::{Seed, seeds};

/// The code of the refusal of these bytes, or nothing when they are read.
fn refusal(name: &str, bytes: &[u8]) -> Option<&'static str> {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { temp: Some(folder.path().join("temp")), ..Settings::default() };
    let engine = Engine::new(&settings).unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    Source::open(&engine, path.to_str().unwrap(), ReadOptions::default()).err().map(|error| error.code())
}

fn stream() -> Seed {
    seeds("arrow").pop().unwrap()
}

#[test]
fn a_stream_that_was_cut_off_between_two_batches_is_refused() {
    let Seed { name, bytes } = stream();
    assert_eq!(refusal(name, &bytes), None, "a whole stream is read");
    // The end-of-stream marker has eight bytes.
    assert_eq!(refusal(name, &bytes[..bytes.len() - 8]), Some("IC425"));
}

#[test]
fn two_streams_in_one_file_and_bytes_behind_a_stream_are_refused() {
    let Seed { name, bytes } = stream();
    assert_eq!(refusal(name, &[bytes.clone(), bytes.clone()].concat()), Some("IC425"));
    assert_eq!(refusal(name, &[bytes, b"more".to_vec()].concat()), Some("IC425"));
    let two: Vec<Vec<u8>> = seeds("parquet").into_iter().take(2).map(|seed| seed.bytes).collect();
    let two = refusal("two.parquet", &two.concat());
    assert!(matches!(two, Some("IC402" | "IC425")), "{two:?}");
}

#[test]
fn a_length_of_exabytes_is_refused_before_room_is_made_for_it() {
    let claims = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f].to_vec();
    assert_eq!(refusal("claims.arrow", &claims), Some("IC402"));
    let footer = [b"PAR1".to_vec(), vec![0x29, 0xfc, 0xff, 0xff, 0xff, 0x0f, 0], vec![7, 0, 0, 0], b"PAR1".to_vec()];
    assert_eq!(refusal("claims.parquet", &footer.concat()), Some("IC402"));
}

#[test]
fn a_line_that_does_not_end_is_refused_at_its_limit_and_not_at_the_end_of_memory() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { memory: Some(16 << 20), temp: Some(folder.path().join("temp")), ..Settings::default() };
    let engine = Engine::new(&settings).unwrap();
    let code = |name: &str, pieces: &[&[u8]]| {
        let path = folder.path().join(name);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        pieces.iter().for_each(|piece| std::io::Write::write_all(&mut packed, piece).unwrap());
        std::fs::write(&path, packed.finish().unwrap()).unwrap();
        Source::open(&engine, path.to_str().unwrap(), ReadOptions::default()).err().map(|error| error.code())
    };
    let (head, letters, commas) = (b"age,town\n34,Ulm\n", vec![b'x'; 3 << 20], vec![b','; 5 << 20]);
    assert_eq!(code("cell.csv.gz", &[head, &letters, b",Ulm\n"]), Some("IC423"));
    assert_eq!(code("quoted.csv.gz", &[head, b"34,\"", &letters, b"\"\n"]), Some("IC423"));
    assert_eq!(code("row.csv.gz", &[head, &commas]), Some("IC423"));
    assert_eq!(code("header.csv.gz", &[&commas]), Some("IC423"));
    let wide: Vec<String> = (0..16_385).map(|at| format!("c{at}")).collect();
    assert_eq!(code("wide.csv.gz", &[wide.join(",").as_bytes(), b"\n"]), Some("IC423"));
}

#[test]
fn midnight_in_a_time_zone_is_published_as_that_day_and_verified() {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, StringArray, TimestampMicrosecondArray};
    use arrow::record_batch::RecordBatch;
    use incrowd::core::Policy;
    use incrowd::{AnonymizeOptions, Declared, Format, VerifyOptions, anonymize, verify};
    use parquet::arrow::ArrowWriter;

    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { temp: Some(folder.path().join("temp")), ..Settings::default() };
    let engine = Engine::new(&settings).unwrap();
    // Midnight in Berlin on 2020-01-01 and on 2020-07-01, when clocks are an hour ahead.
    let midnights = (0..12).map(|row| [1_577_833_200_000_000, 1_593_554_400_000_000][row % 2]);
    let times: ArrayRef =
        Arc::new(TimestampMicrosecondArray::from_iter_values(midnights).with_timezone("Europe/Berlin"));
    let towns: ArrayRef = Arc::new(StringArray::from_iter_values((0..12).map(|row| ["Ulm", "Bonn"][row / 2 % 2])));
    let batch = RecordBatch::try_from_iter([("seen", times.clone()), ("town", towns), ("left", times)]).unwrap();
    let path = folder.path().join("visits.parquet");
    let mut writer = ArrowWriter::try_new(std::fs::File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let source = Source::open(&engine, path.to_str().unwrap(), ReadOptions::default()).unwrap();
    for (name, format) in [("csv", Format::Csv), ("parquet", Format::Parquet), ("arrow", Format::Arrow)] {
        let options = AnonymizeOptions {
            declared: Declared {
                quasi_identifiers: vec!["seen".into(), "town".into()],
                insensitive: vec!["left".into()],
                ..Declared::default()
            },
            keep_identifying: vec!["left".into()],
            policy: Policy::k_anonymity(2),
            bound: false,
            format,
            ..AnonymizeOptions::default()
        };
        let release = folder.path().join(name);
        anonymize(&engine, &source, &options, &release).unwrap();
        if format == Format::Csv {
            let text = std::fs::read_to_string(release.join("data.csv")).unwrap();
            assert!(
                text.lines().skip(1).all(|line| !line.contains("2019-12-31") && !line.contains("2020-06-30")),
                "{text}"
            );
            assert!(text.contains("2020-01-01") && text.contains("2020-07-01"), "{text}");
        }
        let against = VerifyOptions { against: Some(path.clone()), ..VerifyOptions::default() };
        let verdict = verify(&release, &against).unwrap();
        assert!(verdict.verified, "{name}: {:?}", verdict.faults);
    }
}
