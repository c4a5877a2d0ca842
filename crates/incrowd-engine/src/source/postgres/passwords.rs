//! Files that hold secrets: `~/.pgpass`, `~/.pg_service.conf`, and the one of `--connection`.

use std::path::{Path, PathBuf};

use tokio_postgres::Config;
use tokio_postgres::config::Host;

use crate::runtime::database_fault::DatabaseFault;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::platform;
use crate::runtime::remedy::DatabaseRemedy;
use crate::source::postgres::settings::Environment;

/// The text of a file that may hold a password; one that others than its owner can use is refused, as libpq does.
pub(crate) fn private_text(path: &Path) -> Result<String> {
    let about = path.metadata().map_err(|error| EngineError::io(path, error))?;
    if platform::is_open_to_others(&about) {
        let (named, fact) =
            (path.display().to_string(), "the group or others can access this file, which may contain a password");
        return Err(DatabaseFault::new(&named, fact, DatabaseRemedy::CloseFile).into());
    }
    std::fs::read_to_string(path).map_err(|error| EngineError::io(path, error))
}

/// The password of `~/.pgpass` (or `PGPASSFILE`) for a connection: the first line that fits.
pub(crate) fn password(config: &Config, environment: Environment<'_>) -> Result<Option<String>> {
    let Some(path) = in_home("PGPASSFILE", ".pgpass", environment) else { return Ok(None) };
    let text = private_text(&path)?;
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        _ => "localhost".into(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
    let user = config.get_user().unwrap_or_default();
    let asked = [&host, &port, config.get_dbname().unwrap_or(user), user];
    Ok(text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = fields(line);
        let (password, found) = fields.split_last()?;
        let fits =
            found.len() == asked.len() && found.iter().zip(asked).all(|(known, asked)| known == "*" || known == asked);
        fits.then(|| password.clone())
    }))
}

/// The fields of a line of `.pgpass`: colons between them, a backslash before a colon or a backslash inside one.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut letters) = (vec![String::new()], line.chars());
    while let Some(letter) = letters.next() {
        let last = fields.len() - 1;
        match letter {
            '\\' => fields[last].extend(letters.next()),
            ':' if last < 4 => fields.push(String::new()),
            letter => fields[last].push(letter),
        }
    }
    fields
}

/// The words of a section of `~/.pg_service.conf` (or `PGSERVICEFILE`); nothing when it has no such section.
pub(crate) fn service(name: &str, environment: Environment<'_>) -> Result<Option<Vec<(String, String)>>> {
    let Some(path) = in_home("PGSERVICEFILE", ".pg_service.conf", environment) else { return Ok(None) };
    let text = std::fs::read_to_string(&path).map_err(|error| EngineError::io(&path, error))?;
    let mut lines = text.lines().map(str::trim).skip_while(|line| *line != format!("[{name}]"));
    if lines.next().is_none() {
        return Ok(None);
    }
    let words = lines.take_while(|line| !line.starts_with('[')).filter(|line| !line.starts_with('#'));
    let words = words.filter_map(|line| line.split_once('='));
    let words: Vec<(String, String)> = words.map(|(name, value)| (name.trim().into(), value.trim().into())).collect();
    if words.iter().any(|(name, _)| name == "password") {
        private_text(&path)?;
    }
    Ok(Some(words))
}

/// `host=… dbname='with space'`; nothing if a part is not `key=value`.
pub(crate) fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let (mut pairs, mut letters) = (Vec::new(), text.chars().peekable());
    loop {
        while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
        if letters.peek().is_none() {
            return Some(pairs);
        }
        let mut name = String::new();
        loop {
            match letters.next()? {
                '=' => break,
                letter => name.push(letter),
            }
        }
        while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
        let (mut value, quoted) = (String::new(), letters.next_if_eq(&'\'').is_some());
        loop {
            match letters.next() {
                Some('\'') if quoted => break,
                None if !quoted => break,
                Some(letter) if !quoted && letter.is_whitespace() => break,
                Some('\\') => value.push(letters.next()?),
                letter => value.push(letter?),
            }
        }
        pairs.push((name.trim().to_string(), value));
    }
}

/// A file that a variable names, or one in the home folder, if it is there.
fn in_home(variable: &str, name: &str, environment: Environment<'_>) -> Option<PathBuf> {
    let path = match environment(variable) {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(environment("HOME")?).join(name),
    };
    path.is_file().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn private_file(folder: &Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("written");
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("closed");
        path
    }

    #[test]
    fn a_password_is_found_by_the_first_line_that_fits() {
        let folder = tempfile::tempdir().expect("a folder");
        let lines = "# mine\nother:*:*:*:no\ndb.example:5432:visits:ada:a\\:b\\\\c:d\n*:*:*:*:any\n";
        let path = private_file(folder.path(), "pass", lines);
        let environment = |name: &str| (name == "PGPASSFILE").then(|| path.display().to_string());
        let find = |text: &str| {
            let config: Config = text.parse().expect("a configuration");
            password(&config, &environment).expect("read")
        };
        assert_eq!(find("host=db.example dbname=visits user=ada").as_deref(), Some("a:b\\c:d"));
        assert_eq!(find("host=db.example dbname=visits user=bo").as_deref(), Some("any"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_of_secrets_that_the_group_or_others_can_access_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = private_file(folder.path(), "connection", "[db]\nhost=db\npassword=CANARY\n[open]\nhost=db\n");
        let environment = |name: &str| (name == "PGSERVICEFILE").then(|| path.display().to_string());
        assert!(private_text(&path).is_ok() && service("db", &environment).is_ok());
        for mode in [0o640, 0o620, 0o604, 0o644] {
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode)).expect("opened");
            let refused = private_text(&path).expect_err("open to others");
            assert!(refused.to_string().ends_with("can access this file, which may contain a password"), "{refused}");
            assert!(service("db", &environment).is_err(), "{mode:o}");
            assert!(service("open", &environment).is_ok(), "a section without a password is no secret");
        }
    }

    #[test]
    fn words_of_a_connection_may_be_quoted() {
        let read = |text: &str| {
            let pairs = pairs(text)?;
            Some(pairs.into_iter().map(|(name, value)| format!("{name}>{value}")).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(read("host=a dbname = 'b c\\'d' user=e").as_deref(), Some("host>a dbname>b c'd user>e"));
        assert_eq!(read("host"), None);
        assert_eq!(read("host='a"), None);
    }
}
