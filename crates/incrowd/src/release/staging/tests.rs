//! What stands under the names of a release and its record, whatever happens while they are published.

use std::cell::Cell;
use std::io::ErrorKind;
use std::sync::Barrier;

use incrowd_verify::Manifest;
use sha2::{Digest, Sha256};

use super::*;

thread_local! {
    /// How many more renames succeed on this thread before one fails.
    static RENAMES: Cell<Option<u32>> = const { Cell::new(None) };
}

/// The error that a test wants of a rename.
pub(super) fn failure(_: &Path) -> Option<ErrorKind> {
    let left = RENAMES.get()?;
    RENAMES.set(left.checked_sub(1));
    (left == 0).then_some(ErrorKind::PermissionDenied)
}

fn staged(target: &Path, text: &str, force: bool) -> StagedRelease {
    let staging = StagedRelease::begin(target, force).expect("begun");
    StagedRelease::write(&staging.public().join("data.csv"), text).expect("written");
    StagedRelease::write(&staging.public().join(MANIFEST), &manifest(text)).expect("written");
    StagedRelease::write(&staging.internal().join("record.json"), text).expect("written");
    staging
}

fn manifest(text: &str) -> String {
    let sum: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let manifest = serde_json::json!({
        "incrowd": 1, "policy": { "models": [], "suppression": 0.0 }, "counts": "rows", "source_rows": 2, "rows": 2,
        "suppressed_rows": 0, "classes": 1, "smallest_class": 2, "columns": [],
        "files": [{ "name": "data.csv", "format": "csv", "rows": 2, "bytes": text.len(), "sha256": sum }],
    });
    serde_json::from_value::<Manifest>(manifest).expect("a manifest").to_sealed_json()
}

/// What the data of the release and the record say.
fn standing(target: &Path) -> (String, String) {
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    (read(target.join("data.csv")), read(internal_of(target).join("record.json")))
}

fn names(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).expect("listed");
    let mut names: Vec<String> =
        names.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_release_is_complete_or_does_not_exist() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("adult");
    drop(staged(&target, "1", false));
    assert_eq!(names(folder.path()), [""; 0], "given up, nothing is left");
    staged(&target, "1", false).publish().expect("published");
    assert!(target.join(MANIFEST).is_file() && internal_of(&target).is_dir());
    assert_eq!(names(folder.path()), ["adult", "adult.internal"]);
}

#[test]
fn a_release_is_replaced_only_with_force() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("adult");
    staged(&target, "1", false).publish().expect("published");
    assert!(matches!(StagedRelease::begin(&target, false), Err(Error::ReleaseExists(_))));
    staged(&target, "2", true).publish().expect("published");
    assert_eq!(standing(&target), ("2".into(), "2".into()));
    let other = folder.path().join("photos");
    std::fs::create_dir(&other).expect("made");
    for force in [false, true] {
        assert!(matches!(StagedRelease::begin(&other, force), Err(Error::Taken(_))), "never over what is no release");
    }
}

#[test]
fn a_failed_replacement_leaves_the_old_release_with_the_old_record() {
    for step in 0..4 {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("adult");
        staged(&target, "old", false).publish().expect("published");
        let staging = staged(&target, "new", true);
        RENAMES.set(Some(step));
        let refused = staging.publish();
        assert!(matches!(refused, Err(Error::File { .. })), "step {step}: {refused:?}");
        assert_eq!(standing(&target), ("old".into(), "old".into()), "step {step}");
        assert_eq!(names(folder.path()), ["adult", "adult.internal"], "step {step}");
        staged(&target, "new", true).publish().expect("published");
        assert_eq!(standing(&target), ("new".into(), "new".into()), "step {step}");
    }
}

#[test]
fn a_failed_first_publication_leaves_neither_release_nor_record() {
    for step in 0..2 {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("adult");
        let staging = staged(&target, "new", false);
        RENAMES.set(Some(step));
        assert!(staging.publish().is_err());
        assert_eq!(names(folder.path()), [""; 0], "step {step}");
    }
}

#[test]
fn of_two_runs_to_one_name_the_second_is_refused_and_the_first_stands() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("adult");
    let (first, second) = (staged(&target, "first", false), staged(&target, "second", false));
    first.publish().expect("published");
    assert!(matches!(second.publish(), Err(Error::ReleaseExists(_))));
    assert_eq!(standing(&target), ("first".into(), "first".into()));
    assert_eq!(names(folder.path()), ["adult", "adult.internal"]);
}

#[test]
fn of_many_runs_at_once_exactly_one_publishes_and_release_and_record_are_of_one_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let (target, barrier) = (folder.path().join("adult"), Barrier::new(8));
    let published = std::thread::scope(|scope| {
        let (target, barrier) = (&target, &barrier);
        let run = move |number: usize| {
            let staging = staged(target, &number.to_string(), false);
            barrier.wait();
            staging.publish().is_ok()
        };
        let runs: Vec<_> = (0..8).map(|number| scope.spawn(move || run(number))).collect();
        runs.into_iter().map(|run| run.join().expect("ended")).filter(|done| *done).count()
    });
    assert_eq!(published, 1);
    let (data, record) = standing(&target);
    assert_eq!(data, record);
    assert_eq!(names(folder.path()), ["adult", "adult.internal"]);
}

#[test]
fn the_record_of_a_release_that_was_moved_away_is_not_replaced_without_force() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("adult");
    staged(&target, "1", false).publish().expect("published");
    std::fs::rename(&target, folder.path().join("sent")).expect("moved");
    assert!(matches!(StagedRelease::begin(&target, false), Err(Error::RecordExists(_))));
    assert_eq!(standing(&target).1, "1");
    staged(&target, "2", true).publish().expect("published");
    assert_eq!(standing(&target), ("2".into(), "2".into()));
}

#[test]
fn a_folder_with_a_file_that_incrowd_did_not_write_is_refused_and_not_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("app");
    let refused = || match StagedRelease::begin(&target, true) {
        Err(Error::ForeignFiles { fact, .. }) => fact,
        other => panic!("not refused: {other:?}"),
    };
    // A folder of another program that has a manifest.json.
    std::fs::create_dir(&target).expect("made");
    std::fs::write(target.join(MANIFEST), "{\"name\": \"app\"}").expect("written");
    std::fs::write(target.join("people.csv"), "age\n1\n").expect("written");
    assert_eq!(refused(), "manifest.json is not the manifest of a release, or was changed");
    assert!(target.join("people.csv").is_file());
    std::fs::remove_dir_all(&target).expect("removed");
    // A release to which somebody added something, in it and in its record; and one that was changed.
    staged(&target, "1", false).publish().expect("published");
    for inside in [target.join("notes.txt"), internal_of(&target).join("notes.txt")] {
        std::fs::write(&inside, "mine").expect("written");
        assert!(refused().starts_with("notes.txt is in the folder, but not in "));
        std::fs::remove_file(&inside).expect("removed");
    }
    std::fs::write(internal_of(&target).join("record.json"), "changed").expect("written");
    assert!(refused().starts_with("record.json was changed"));
    std::fs::write(internal_of(&target).join("record.json"), "1").expect("written");
    std::fs::write(target.join("data.csv"), "2").expect("written");
    assert!(refused().contains("SHA-256"));
    assert_eq!(names(folder.path()), ["app", "app.internal"]);
}

#[test]
fn what_is_added_to_a_release_while_its_successor_is_made_is_not_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("adult");
    staged(&target, "old", false).publish().expect("published");
    let staging = staged(&target, "new", true);
    std::fs::write(target.join("notes.txt"), "mine").expect("written");
    assert!(matches!(staging.publish(), Err(Error::ForeignFiles { folder, .. }) if folder == target));
    assert_eq!(standing(&target), ("old".into(), "old".into()));
    assert!(target.join("notes.txt").is_file());
}

#[test]
fn a_record_of_a_release_that_goes_elsewhere_is_put_back_when_that_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("adult.internal");
    let staged = |text: &str, force: bool| {
        let staging = StagedRelease::begin_apart(&record, force).expect("begun");
        StagedRelease::write(&staging.internal().join("record.json"), text).expect("written");
        staging
    };
    staged("old", false).publish_apart(|| Ok(PublishOutcome::Published)).expect("published");
    assert!(matches!(StagedRelease::begin_apart(&record, false), Err(Error::RecordExists(_))));
    assert!(staged("new", true).publish_apart(|| Err(Error::NoRandomness)).is_err());
    assert_eq!(std::fs::read_to_string(record.join("record.json")).expect("read"), "old");
    assert_eq!(names(folder.path()), ["adult.internal"]);
}

#[test]
fn both_records_stay_when_nobody_knows_whether_a_release_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("adult.internal");
    let publish = |text: &str, force: bool| {
        let staging = StagedRelease::begin_apart(&record, force).expect("begun");
        StagedRelease::write(&staging.internal().join("record.json"), text).expect("written");
        match staging.publish_apart(|| Ok(PublishOutcome::Unknown)) {
            Err(Error::OutcomeUnknown { record: kept, before }) if kept == record => before,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(publish("first", false), None);
    let before = ["adult.internal.before", "adult.internal.before-2"].map(|name| folder.path().join(name));
    assert_eq!(publish("second", true).as_ref(), Some(&before[0]));
    assert_eq!(publish("third", true).as_ref(), Some(&before[1]));
    let read = |place: &Path| std::fs::read_to_string(place.join("record.json")).expect("read");
    assert_eq!([read(&before[0]), read(&before[1]), read(&record)], ["first", "second", "third"]);
    assert_eq!(names(folder.path()), ["adult.internal", "adult.internal.before", "adult.internal.before-2"]);
}

#[test]
fn the_record_that_a_dead_run_replaced_stays_when_its_release_is_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("adult.internal");
    let dead = folder.path().join(".adult.internal.partial-1-0").join(OLD_INTERNAL);
    for (place, text) in [(&record, "new"), (&dead, "old")] {
        std::fs::create_dir_all(place).expect("made");
        std::fs::write(place.join("record.json"), text).expect("written");
    }
    assert!(matches!(StagedRelease::begin_apart(&record, false), Err(Error::RecordExists(_))));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name).join("record.json")).expect("read");
    assert_eq!([read("adult.internal"), read("adult.internal.before")], ["new", "old"]);
    assert_eq!(names(folder.path()), ["adult.internal", "adult.internal.before"]);
}

#[test]
fn what_a_dead_run_left_is_swept_and_an_old_release_put_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("adult");
    staged(&target, "old", false).publish().expect("published");
    // As after a kill between the last two renames: only the release has not got its name.
    let dead = folder.path().join(".adult.partial-1-0");
    std::fs::create_dir_all(dead.join(PUBLIC)).expect("made");
    std::fs::rename(&target, dead.join(OLD)).expect("moved");
    std::fs::rename(internal_of(&target), dead.join(OLD_INTERNAL)).expect("moved");
    std::fs::create_dir(internal_of(&target)).expect("made");
    std::fs::write(internal_of(&target).join("record.json"), "new").expect("written");
    write_contents(&internal_of(&target), &target).expect("listed");
    assert!(matches!(StagedRelease::begin(&target, false), Err(Error::ReleaseExists(_))));
    assert_eq!(standing(&target), ("old".into(), "old".into()));
    assert_eq!(names(folder.path()), ["adult", "adult.internal"]);
    // Without an old release, the record that never got one is swept, too, and so is what executors were given.
    std::fs::create_dir_all(dead.join(PUBLIC)).expect("made");
    std::fs::create_dir(dead.join(".public.executors")).expect("made");
    std::fs::write(dead.join(".public.executors/codebook"), "values").expect("written");
    std::fs::remove_dir_all(&target).expect("removed");
    drop(StagedRelease::begin(&target, false).expect("begun"));
    assert_eq!(names(folder.path()), [""; 0]);
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_release_or_its_record_is_refused_and_nothing_is_left() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().expect("a folder");
    let (target, kept) = (folder.path().join("adult"), folder.path().join("kept"));
    staged(&kept, "old", false).publish().expect("published");
    for (link, place) in
        [(&target, target.clone()), (&target, folder.path().join("adult/")), (&internal_of(&target), target.clone())]
    {
        for points_to in ["nowhere", "kept", "kept.internal"] {
            symlink(points_to, link).expect("linked");
            let before = names(folder.path());
            for force in [false, true] {
                assert!(matches!(StagedRelease::begin(&place, force), Err(Error::Link(_))), "{points_to}");
            }
            assert_eq!((names(folder.path()), standing(&kept)), (before, ("old".into(), "old".into())));
            std::fs::remove_file(link).expect("removed");
        }
    }
    // One that comes to stand there while the release is made.
    let staging = staged(&target, "new", true);
    symlink("nowhere", &target).expect("linked");
    assert!(matches!(staging.publish(), Err(Error::Link(_))));
    assert_eq!(names(folder.path()), ["adult", "kept", "kept.internal"]);
}

#[test]
fn a_folder_that_merely_looks_like_one_of_a_dead_run_is_not_swept() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("adult");
    let foreign = [".adult.partial-1-0/precious.txt", ".adult.partial-backup/public", ".adult.partial-2-0/public"];
    for (at, name) in foreign.iter().enumerate() {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, at.to_string()).expect("written");
    }
    staged(&target, "1", false).publish().expect("published");
    for (at, name) in foreign.iter().enumerate() {
        assert_eq!(std::fs::read_to_string(folder.path().join(name)).expect("still there"), at.to_string());
    }
}
