//! The secrets of a session: who has the token gets the cookie, and who has the cookie may ask.

use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::{HeaderMap, header};

/// The secrets of a session: a token that is used once, and a cookie.
pub(crate) struct Secrets {
    token: String,
    cookie: String,
    is_token_used: AtomicBool,
}

impl Secrets {
    /// Draws both from the operating system.
    pub(crate) fn draw() -> Result<Secrets, getrandom::Error> {
        let secret = || {
            let mut bytes = [0; 32];
            getrandom::fill(&mut bytes)?;
            Ok::<String, getrandom::Error>(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
        };
        Ok(Secrets { token: secret()?, cookie: secret()?, is_token_used: AtomicBool::new(false) })
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Whether this is the token, used for the first time.
    pub(crate) fn take_token(&self, given: &str) -> bool {
        is_same(given, &self.token) && !self.is_token_used.swap(true, Ordering::SeqCst)
    }

    /// The cookie as it is set. The name holds the port: cookies are shared by all ports of a host.
    pub(crate) fn set_cookie(&self, port: u16) -> String {
        format!("incrowd-{port}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie)
    }

    /// Whether the cookie is among those of a request.
    pub(crate) fn is_in(&self, headers: &HeaderMap, port: u16) -> bool {
        let name = format!("incrowd-{port}=");
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().strip_prefix(&name));
        pairs.any(|given| is_same(given, &self.cookie))
    }
}

/// Compares in a time that does not depend on where the texts differ.
fn is_same(given: &str, secret: &str) -> bool {
    let differ = given.bytes().zip(secret.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
    given.len() == secret.len() && differ == 0
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_token_is_accepted_once() {
        let secrets = Secrets::draw().expect("random numbers");
        assert!(!secrets.take_token("") && !secrets.take_token(&"0".repeat(64)));
        assert!(secrets.take_token(&secrets.token.clone()));
        assert!(!secrets.take_token(&secrets.token.clone()));
    }

    #[test]
    fn the_cookie_is_found_among_others_and_only_whole() {
        let secrets = Secrets::draw().expect("random numbers");
        let is_in = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, HeaderValue::from_str(value).expect("a header"));
            secrets.is_in(&headers, 5)
        };
        assert!(is_in(&format!("a=b; incrowd-5={}", secrets.cookie)));
        assert!(!is_in(&format!("incrowd-6={}", secrets.cookie)));
        assert!(!is_in(&format!("incrowd-5={}", &secrets.cookie[1..])) && !is_in("incrowd-5="));
    }
}
