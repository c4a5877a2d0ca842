//! Tests with CSV files, their lines and their cells.

use std::sync::atomic::AtomicBool;

use tempfile::NamedTempFile;

use super::*;
use crate::read::CellEncoder;

/// Takes rows as texts, and how many came together.
struct Taken {
    encoders: Vec<CellEncoder>,
    pieces: Vec<usize>,
    cells: Vec<Vec<String>>,
}

impl RowSink for Taken {
    fn encoders(&mut self) -> &mut [CellEncoder] {
        &mut self.encoders
    }

    fn add(&mut self, columns: &[Vec<u32>], rows: usize) {
        for ((codes, encoder), cells) in columns.iter().zip(&self.encoders).zip(&mut self.cells) {
            assert_eq!(codes.len(), rows, "a column has a code for each row");
            cells.extend(codes.iter().map(|&code| encoder.texts.text(code).map_or("-", |text| text).to_owned()));
        }
        self.pieces.push(rows);
    }

    fn rows(&self) -> u64 {
        self.pieces.iter().sum::<usize>() as u64
    }
}

fn saved(text: &[u8]) -> NamedTempFile {
    let file = NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), text).expect("the disk has room");
    file
}

fn table(path: &Path) -> TableFile<'_> {
    TableFile {
        path,
        format: Format::Csv,
        delimiter: b',',
        encoding: None,
        escaped: false,
        decimal_commas: Vec::new(),
        header: true,
        sheet: None,
        bounds: MemoryBounds::new(None),
    }
}

fn why<T>(done: Result<T, ReadError>) -> String {
    match done {
        Ok(_) => "read".into(),
        Err(ReadError::Cancelled) => "cancelled".into(),
        Err(ReadError::Unreadable(why)) => why,
    }
}

fn taken(table: &TableFile<'_>, wanted: &[usize], progress: &ReadProgress<'_>) -> Result<Taken, ReadError> {
    let encoders = wanted.iter().map(|_| CellEncoder::plain()).collect();
    let mut into = Taken { encoders, pieces: Vec::new(), cells: vec![Vec::new(); wanted.len()] };
    read(table, wanted, &mut into, progress)?;
    Ok(into)
}

/// The cells of the wanted columns.
fn cells(table: &TableFile<'_>, wanted: &[usize]) -> Result<Vec<Vec<String>>, ReadError> {
    taken(table, wanted, &ReadProgress::new(None, None, 0)).map(|taken| taken.cells)
}

#[test]
fn a_number_with_a_decimal_comma_gets_a_point() {
    for (cell, text) in [("1,5", "1.5"), ("-1,5", "-1.5"), ("12", "12"), ("00,00", "00.00")] {
        assert_eq!(with_point(cell), text);
    }
    for cell in ["", ",", "1,", ",5", "1,2,3", "a,5", "1,b", "1.5", "--1,5", "1a,5", "1,5b", "+1,5", "1-,5", "−1,5"] {
        assert_eq!(with_point(cell), cell);
    }
}

#[test]
fn one_apostrophe_goes_where_a_spreadsheet_would_run_the_rest() {
    for (cell, value) in [("'=1", "=1"), ("'+1", "+1"), ("'-1", "-1"), ("'@a", "@a"), ("'\ta", "\ta"), ("'\ra", "\ra")]
    {
        assert_eq!(unescaped(cell), value);
    }
    assert_eq!((unescaped("''=1"), unescaped("'''=1")), ("'=1", "''=1"));
    for cell in ["", "'", "''", "'a", "=1", "a'=1", "' =1"] {
        assert_eq!(unescaped(cell), cell);
    }
}

#[test]
fn a_file_is_read_no_further_than_the_next_line_may_go() {
    let left = Rc::new(Cell::new(4));
    let mut fed = Fed { file: Box::new(Cursor::new(b"abcdef")), left: Rc::clone(&left) };
    let mut into = [0; 10];
    assert_eq!(fed.read(&mut into[..3]).expect("three bytes"), 3);
    assert_eq!(left.get(), 1);
    assert_eq!(fed.read(&mut into).expect("one byte"), 1);
    assert_eq!((left.get(), into[0]), (0, b'd'));
    assert_eq!(fed.read(&mut []).expect("nothing is asked"), 0);
    assert_eq!(fed.read(&mut into).expect_err("no more").kind(), std::io::ErrorKind::OutOfMemory);
    left.set(9);
    assert_eq!(fed.read(&mut into).expect("two bytes"), 2);
    assert_eq!((fed.read(&mut into).expect("the end"), left.get()), (0, 7));
}

/// Fails once, then has three bytes.
struct FailsOnce(Option<std::io::ErrorKind>);

impl Read for FailsOnce {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        match self.0.take() {
            Some(kind) => Err(kind.into()),
            None => (&b"a,b"[..]).read(into),
        }
    }
}

#[test]
fn an_interruption_is_no_error_and_any_other_is() {
    let fed = |kind| {
        let mut fed = Fed { file: Box::new(FailsOnce(Some(kind))), left: Rc::new(Cell::new(100)) };
        fed.read(&mut [0; 10]).map_err(|error| error.kind())
    };
    assert_eq!(fed(std::io::ErrorKind::Interrupted), Ok(3));
    assert_eq!(fed(std::io::ErrorKind::TimedOut), Err(std::io::ErrorKind::TimedOut));
}

/// Lines of which the first and the others may have so many bytes.
fn lines(file: Box<dyn Read>, first: u64, most: u64) -> Lines {
    let left = Rc::new(Cell::new(first));
    let reader = ReaderBuilder::new().has_headers(false).from_reader(Fed { file, left: Rc::clone(&left) });
    Lines { reader, left, most }
}

#[test]
fn a_line_beyond_its_bound_is_refused() {
    let mut record = ByteRecord::new();
    let mut short = lines(Box::new(Cursor::new("abcdefgh\n")), 5, 5);
    assert_eq!(why(short.next(&mut record)), "a line needs more memory than allowed");
    let mut fits = lines(Box::new(Cursor::new("ab\ncdef\n")), 9, 3);
    assert!(fits.next(&mut record).expect("a line"));
    assert_eq!((fits.left.get(), record.get(0)), (3, Some(&b"ab"[..])));
    let mut failing = lines(Box::new(FailsOnce(Some(std::io::ErrorKind::TimedOut))), 5, 5);
    assert_eq!(why(failing.next(&mut record)), "it cannot be read");
    let mut uneven = lines(Box::new(Cursor::new("a,b\nc\n")), 100, 100);
    assert!(uneven.next(&mut record).expect("a line"));
    assert_eq!(why(uneven.next(&mut record)), "line 2 is broken");
}

#[test]
fn the_bounds_of_lines_are_those_of_the_verification() {
    let file = saved(b"a\n");
    let mut table = table(file.path());
    (table.bounds.header, table.bounds.line) = (300, 40);
    let lines = Lines::open(&table).expect("a file");
    assert_eq!((lines.left.get(), lines.most), (300 + (1 << 20), 40 + (1 << 20)));
    assert_eq!(why(Lines::open(&self::table(Path::new("gone.csv")))), "it cannot be opened");
}

#[test]
fn columns_are_named_by_the_first_line_or_by_their_places() {
    let file = saved(b"'=sum,'b\n1,2\n");
    let mut table = table(file.path());
    let column = |name: &str| FileColumn { name: name.into(), is_float: false, is_instant: false };
    assert_eq!(columns(&table).expect("a header"), [column("'=sum"), column("'b")]);
    table.escaped = true;
    assert_eq!(columns(&table).expect("a header"), [column("=sum"), column("'b")]);
    table.header = false;
    assert_eq!(columns(&table).expect("a line"), [column("column_1"), column("column_2")]);
    table.bounds.columns = 2;
    assert_eq!(why(columns(&table)), "read");
    table.bounds.columns = 1;
    assert_eq!(why(columns(&table)), "the list of its columns needs more memory than allowed");
    let broken = saved(b"a,\xff\n");
    assert_eq!(why(columns(&self::table(broken.path()))), "its header line is broken");
}

#[test]
fn wanted_cells_are_read_as_the_table_says() {
    let file = saved(b"a,b,c\n\"1,5\",\"1,5\",'=1\n,\"x,5\",''-2\n");
    let mut table = table(file.path());
    assert_eq!(cells(&table, &[2, 0]).expect("rows"), [["'=1", "''-2"], ["1,5", "-"]]);
    (table.escaped, table.decimal_commas) = (true, vec!["b".into()]);
    assert_eq!(cells(&table, &[0, 1, 2]).expect("rows"), [["1,5", "-"], ["1.5", "x,5"], ["=1", "'-2"]]);
    table.header = false;
    assert_eq!(cells(&table, &[1]).expect("rows"), [["b", "1,5", "x,5"]]);
    table.decimal_commas = vec!["column_2".into()];
    assert_eq!(cells(&table, &[1]).expect("rows"), [["b", "1.5", "x,5"]]);
}

#[test]
fn a_cell_that_is_no_text_is_refused_where_it_is_wanted() {
    let file = saved(b"a,b\n1,2\n3,\xff\n");
    assert_eq!(why(cells(&table(file.path()), &[1])), "line 3 is broken");
    assert_eq!(cells(&table(file.path()), &[0]).expect("rows"), [["1", "3"]]);
    let other = TableFile { encoding: Some(encoding_rs::WINDOWS_1252), ..table(file.path()) };
    assert_eq!(cells(&other, &[1]).expect("rows"), [["2", "ÿ"]]);
    let other = TableFile { delimiter: b';', ..table(file.path()) };
    assert_eq!(why(cells(&other, &[0])), "line 3 is broken");
}

#[test]
fn rows_are_added_in_pieces_of_a_bounded_size() {
    for (rows, pieces) in [(0, vec![0]), (ROWS - 1, vec![ROWS - 1]), (ROWS, vec![ROWS, 0]), (ROWS + 1, vec![ROWS, 1])] {
        let file = saved(&["a\n", &"7\n".repeat(rows)].concat().into_bytes());
        let told = std::sync::Mutex::new(Vec::new());
        let report = |done: u64, total: u64| told.lock().expect("one thread").push((done, total));
        let taken = taken(&table(file.path()), &[0], &ReadProgress::new(None, Some(&report), 5)).expect("rows");
        let add = |sum: &mut u64, piece: &usize| {
            *sum += *piece as u64;
            Some((*sum, 5))
        };
        let expected: Vec<(u64, u64)> = pieces.iter().scan(0, add).collect();
        assert_eq!(*told.lock().expect("one thread"), expected);
        assert_eq!((taken.rows(), taken.pieces), (rows as u64, pieces));
        assert_eq!(taken.cells[0], vec!["7"; rows]);
    }
}

#[test]
fn reading_ends_when_the_caller_cancels() {
    let file = saved(b"a\n1\n");
    let cancel = AtomicBool::new(true);
    assert_eq!(why(taken(&table(file.path()), &[0], &ReadProgress::new(Some(&cancel), None, 0))), "cancelled");
}

#[test]
fn a_packed_original_is_read_as_what_it_holds() {
    let text = "age,town\n34,Köln\n71,\n".as_bytes();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, text).expect("memory");
    let gzip = gzip.finish().expect("memory");
    let zstd = zstd::encode_all(text, 1).expect("memory");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let read = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("the disk has room");
        let table = table(&path);
        let names = columns(&table)?.into_iter().map(|column| column.name).collect::<Vec<_>>();
        let mut lines = Lines::open(&table)?;
        let (mut record, mut rows) = (ByteRecord::new(), 0);
        while lines.next(&mut record)? {
            rows += 1;
        }
        Ok::<_, ReadError>((names, rows))
    };
    let whole = (vec!["age".to_owned(), "town".to_owned()], 3);
    for (name, bytes) in [("a.csv", text), ("a.csv.gz", &gzip), ("a.csv.zst", &zstd), ("A.TSV.GZ", &gzip)] {
        assert_eq!(read(name, bytes).ok(), Some(whole.clone()), "{name}");
    }
    // Two packed files in one are one after the other.
    assert_eq!(read("b.csv.gz", &[&gzip[..], &gzip].concat()).ok().map(|read| read.1), Some(6));
    // A file that is cut off is none; what is packed under another name is no text.
    assert!(read("c.csv.gz", &gzip[..gzip.len() - 9]).is_err() && read("c.csv.zst", &zstd[..zstd.len() - 4]).is_err());
    assert!(read("d.csv", &gzip).is_err());
}
