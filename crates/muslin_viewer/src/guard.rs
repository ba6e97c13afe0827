//! Who may talk to the server.
//!
//! A page of a stranger, open in the same browser, can send requests to this machine. It does not know the token, which
//! is part of every path; its requests carry its own `Origin`; and if it has bent a name of its own onto this address,
//! they carry that name as `Host`. Each of the three is refused alone.

use std::net::SocketAddr;

/// Bytes of randomness in a token.
const TOKEN_BYTES: usize = 16;
/// Fewest characters of a token that somebody chose.
pub const SHORTEST_TOKEN: usize = 16;

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The path does not begin with the token.
    Token,
    /// The host is not this server.
    Host,
    /// The page that asks comes from elsewhere.
    Origin,
}

/// A fresh token: letters and digits that nobody can guess.
pub fn random_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0u8; TOKEN_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

/// Splits a path into the token and the rest, if the token is right.
pub fn inside<'a>(path: &'a str, token: &str) -> Result<&'a str, Refusal> {
    let path = path.strip_prefix('/').ok_or(Refusal::Token)?;
    let (given, rest) = path.split_once('/').unwrap_or((path, ""));
    if same(given.as_bytes(), token.as_bytes()) { Ok(rest) } else { Err(Refusal::Token) }
}

/// Compares in a time that does not tell how many bytes were right.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |difference, (x, y)| difference | (x ^ y)) == 0
}

/// Refuses a foreign `Host`, and an `Origin` that is not this server. Without an `Origin` a request is no other page's,
/// unless it opens a socket, which every browser sends one with.
pub fn check(host: Option<&str>, origin: Option<&str>, local: SocketAddr) -> Result<(), Refusal> {
    if !host.is_some_and(|host| is_here(host, local)) {
        return Err(Refusal::Host);
    }
    match origin {
        Some(origin) if !origin.strip_prefix("http://").is_some_and(|host| is_here(host, local)) => {
            Err(Refusal::Origin)
        }
        _ => Ok(()),
    }
}

/// Whether `NAME:PORT` is the address that the connection came to.
fn is_here(host: &str, local: SocketAddr) -> bool {
    let Some((name, port)) = host.rsplit_once(':') else { return false };
    // A socket that takes both kinds of addresses has the old ones within the new.
    let here = local.ip().to_canonical();
    port == local.port().to_string()
        && match name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name) {
            "localhost" => here.is_loopback(),
            address => address.parse() == Ok(here),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_differ() {
        let (a, b) = (random_token().unwrap(), random_token().unwrap());
        assert!(a.len() >= SHORTEST_TOKEN && a != b);
        assert!(a.chars().all(|c| c.is_ascii_alphanumeric()));
    }

    #[test]
    fn only_the_right_token_opens_the_path() {
        assert_eq!(inside("/secret/main.js", "secret"), Ok("main.js"));
        assert_eq!(inside("/secret", "secret"), Ok(""));
        for path in ["/", "", "/secre/main.js", "/secretx/", "/main.js", "secret/", "//secret/"] {
            assert_eq!(inside(path, "secret"), Err(Refusal::Token), "{path}");
        }
    }

    #[test]
    fn an_old_address_within_a_new_one_is_the_same_place() {
        let local: SocketAddr = "[::ffff:127.0.0.1]:8080".parse().unwrap();
        assert_eq!(check(Some("127.0.0.1:8080"), Some("http://localhost:8080"), local), Ok(()));
        assert_eq!(check(Some("127.0.0.2:8080"), None, local), Err(Refusal::Host));
        let local: SocketAddr = "[::1]:8080".parse().unwrap();
        assert_eq!(check(Some("[::1]:8080"), Some("http://[::1]:8080"), local), Ok(()));
    }

    #[test]
    fn foreign_hosts_and_origins_are_refused() {
        let local: SocketAddr = "127.0.0.1:8080".parse().unwrap();
        let ok = |host, origin| check(host, origin, local);
        assert_eq!(ok(Some("127.0.0.1:8080"), None), Ok(()));
        assert_eq!(ok(Some("localhost:8080"), Some("http://localhost:8080")), Ok(()));
        for host in ["evil.example:8080", "127.0.0.1:80", "127.0.0.1", "localhost", "127.0.0.1.evil.example:8080", ""] {
            assert_eq!(ok(Some(host), None), Err(Refusal::Host), "{host}");
        }
        assert_eq!(ok(None, None), Err(Refusal::Host));
        for origin in ["http://evil.example", "https://127.0.0.1:8080", "null", "http://127.0.0.1:81", "127.0.0.1:8080"]
        {
            assert_eq!(ok(Some("127.0.0.1:8080"), Some(origin)), Err(Refusal::Origin), "{origin}");
        }
    }
}
