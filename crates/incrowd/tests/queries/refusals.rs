//! What cannot be asked is refused with the way out, and without a value.

use incrowd::query::{Estimator, QueryOptions, parse_query, query};

use super::support::Desk;

#[test]
fn what_means_nothing_for_its_column_is_refused_in_words() {
    let desk = Desk::new();
    let data = "name,age,town,born,size\nx,20,secretville,1980-01-01,\"[20.5, 30)\"\nx,30,Ulm,1990-01-01,30\n";
    let columns = [
        ("name", "removed"),
        ("age", "retained"),
        ("town", "retained"),
        ("born", "generalized"),
        ("size", "generalized"),
    ];
    let release = desk.one_table(&columns, 0, data);
    let refused = |sql: &str, options: &QueryOptions| {
        let error = query(&desk.engine, &release, &parse_query(sql).unwrap(), options).expect_err(sql);
        let hint = error.remedy().written(incrowd::Setting::as_in_a_plan);
        assert!(!error.to_string().contains("secret") && !hint.contains("secret"), "{error}");
        assert!(!hint.is_empty(), "{error}");
        (error.code(), error.to_string())
    };
    let none = QueryOptions::default();
    for (sql, code, words) in [
        ("SELECT COUNT(*) WHERE name = 'x'", "IC508", "column “name” was removed from the release"),
        ("SELECT COUNT(*) WHERE aeg = 1", "IC407", "column “aeg” does not exist"),
        ("SELECT COUNT(*) WHERE age = 'old'", "IC508", "“age” contains integers, but is compared with another type"),
        ("SELECT COUNT(*) WHERE town < 5", "IC508", "“town” contains texts, but is compared with a number by order"),
        ("SELECT COUNT(*) WHERE size LIKE '2%'", "IC508", "“size” contains intervals of numbers, but LIKE needs texts"),
        ("SELECT SUM(town)", "IC508", "SUM(town) does not apply to a column that contains texts"),
        ("SELECT AVG(born)", "IC508", "AVG(born) does not apply to a column that contains dates"),
    ] {
        assert_eq!(refused(sql, &none), (code, words.to_owned()));
    }
    let printed = QueryOptions { estimator: Some(Estimator::Printed), ..QueryOptions::default() };
    let (_, words) = refused("SELECT COUNT(*)", &printed);
    assert_eq!(words, "the estimator `printed` cannot be used: the release has one table");
    let towns = desk.write("born.csv", "1980-01-01;1980;*\n");
    let wrong = QueryOptions { hierarchies: [("born".into(), towns)].into(), ..QueryOptions::default() };
    let (_, words) = refused("SELECT COUNT(*) WHERE born = '1980-01-01'", &wrong);
    assert_eq!(words, "the hierarchy of “born” does not have 1 of the 2 published labels");
}

#[test]
fn a_folder_that_is_no_release_is_refused() {
    let desk = Desk::new();
    let asked = parse_query("SELECT COUNT(*)").unwrap();
    let error = query(&desk.engine, &desk.path("nothing"), &asked, &QueryOptions::default()).unwrap_err();
    assert_eq!(error.code(), "IC604");
    desk.write("release/manifest.json", "{\"secret\": ");
    let error = query(&desk.engine, &desk.path("release"), &asked, &QueryOptions::default()).unwrap_err();
    assert_eq!(error.code(), "IC630");
    assert!(!error.to_string().contains("secret"), "{error}");
}

#[test]
fn an_escaped_file_is_asked_for_its_values() {
    let desk = Desk::new();
    desk.one_table(&[("note", "retained"), ("=x", "retained")], 0, "note,'=x\n'=1+1,1\nplain,2\n''=2,3\n");
    desk.change_manifest(|manifest| manifest.files[0].escaped = true);
    let one = |sql: &str| desk.figure(sql).estimate;
    assert_eq!(one("SELECT COUNT(*) WHERE note = '=1+1'"), Some(1.0));
    assert_eq!(one("SELECT COUNT(*) WHERE note = '''=2'"), Some(1.0));
    assert_eq!(one("SELECT SUM(\"=x\") WHERE \"=x\" >= 2"), Some(5.0));
}
