//! Files of single continuous collision queries with exact answers.
//!
//! Eight lines are a query: the four points at the start, then at the end. Each line has seven whole numbers: three
//! coordinates as numerator and denominator, and the answer, 0 or 1, the same on all eight. The fractions of the public
//! data are doubles written exactly. A fraction that is no double is rounded to the nearest, and [`Queries::rounded`] counts
//! it, because the answer may then be that of another query.

use crate::input::Input;
use glam::DVec3;
use muslin_collision::{Query, sweep::LARGEST_COORDINATE};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use std::path::{Path, PathBuf};

/// Lines of one query.
const LINES: usize = 8;
/// Whole numbers up to this have an exact double.
const EXACT: i64 = 1 << 53;

/// The queries of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Queries {
    /// Each query and whether the pair touches.
    pub queries: Vec<(Query, Answer)>,
    /// Coordinates that are no doubles and were rounded.
    pub rounded: usize,
}

/// What the file says about a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The pair touches at some time of the step.
    Touches,
    /// It never does.
    Apart,
}

/// Why a file holds no queries.
#[derive(Debug, thiserror::Error)]
pub enum QueryFileError {
    /// It cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A line is wrong.
    #[error("{}:{line}: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// What is wrong and what is expected.
        fault: String,
    },
}

/// Reads a file, plain, `.gz` or `.xz`.
pub fn read(path: &Path) -> Result<Queries, QueryFileError> {
    let unread = |source| QueryFileError::Read { path: path.to_owned(), source };
    let mut input = Input::open(path).map_err(unread)?;
    let mut result = Queries::default();
    let mut points = [DVec3::ZERO; LINES];
    let mut answer = Answer::Apart;
    let mut count = 0;
    let mut bytes = Vec::new();
    while input.next_line(&mut bytes).map_err(unread)? {
        let wrong = |fault: String| QueryFileError::Line { path: path.to_owned(), line: input.line(), fault };
        let text =
            std::str::from_utf8(&bytes).map_err(|_| wrong("the line is no text; expected 7 whole numbers".into()))?;
        if text.trim().is_empty() {
            continue;
        }
        let (point, says, rounded) = line(text).map_err(wrong)?;
        if count > 0 && says != answer {
            return Err(wrong("the answer in column 7 differs from that of the query's first line".into()));
        }
        result.rounded += rounded;
        (points[count], answer) = (point, says);
        count += 1;
        if count == LINES {
            let query = Query {
                start: std::array::from_fn(|k| points[k]),
                end: std::array::from_fn(|k| points[k + LINES / 2]),
            };
            result.queries.push((query, answer));
            count = 0;
        }
    }
    if count > 0 {
        let fault = format!("the file ends after {count} of the {LINES} lines of a query");
        return Err(QueryFileError::Line { path: path.to_owned(), line: input.line(), fault });
    }
    if result.queries.is_empty() {
        let fault = format!("there is no query; expected {LINES} lines of 7 whole numbers for each");
        return Err(QueryFileError::Line { path: path.to_owned(), line: input.line().max(1), fault });
    }
    Ok(result)
}

/// A point, the answer, and how many of the coordinates were rounded.
fn line(text: &str) -> Result<(DVec3, Answer, usize), String> {
    let columns: Vec<&str> = text.split(',').map(str::trim).collect();
    if columns.len() != 7 {
        return Err(format!("there are {} columns; expected 7 whole numbers, divided by commas", columns.len()));
    }
    let mut point = DVec3::ZERO;
    let mut rounded = 0;
    for axis in 0..3 {
        let (value, exact) = fraction(columns[2 * axis], columns[2 * axis + 1], 2 * axis + 1)?;
        if !(value.abs() < LARGEST_COORDINATE) {
            return Err(format!("the coordinate in columns {} and {} is not below 1e100", 2 * axis + 1, 2 * axis + 2));
        }
        point[axis] = value;
        rounded += usize::from(!exact);
    }
    let answer = match columns[6] {
        "0" => Answer::Apart,
        "1" => Answer::Touches,
        other => return Err(format!("the answer in column 7 is `{other}`; expected 0 or 1")),
    };
    Ok((point, answer, rounded))
}

/// The nearest double to a fraction, and whether it is the same number.
fn fraction(numerator: &str, denominator: &str, column: usize) -> Result<(f64, bool), String> {
    // The usual case: both are small, and the denominator is a power of two.
    if let (Ok(n), Ok(d)) = (numerator.parse::<i64>(), denominator.parse::<i64>())
        && n.unsigned_abs() <= EXACT as u64
        && d > 0
        && d & (d - 1) == 0
    {
        return Ok((n as f64 / d as f64, true));
    }
    let whole = |text: &str, column: usize| {
        text.parse::<BigInt>().map_err(|_| format!("column {column} is `{text}`; expected a whole number"))
    };
    let (n, d) = (whole(numerator, column)?, whole(denominator, column + 1)?);
    if d.is_zero() {
        return Err(format!("the denominator in column {} is 0", column + 1));
    }
    let ratio = BigRational::new(n, d);
    let value = ratio.to_f64().unwrap_or(f64::NAN);
    Ok((value, BigRational::from_float(value) == Some(ratio)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_become_the_nearest_doubles() {
        let value = |n: &str, d: &str| fraction(n, d, 1).unwrap();
        assert_eq!(value("-3", "8"), (-0.375, true));
        assert_eq!(value("6004799503160661", "18014398509481984"), (1.0 / 3.0, true));
        assert_eq!(value("1", "3"), (1.0 / 3.0, false));
        assert_eq!(value("1", "-4"), (-0.25, true));
        assert_eq!(value("9007199254740993", "1"), (9007199254740992.0, false));
        let tiny = format!("1{}", "0".repeat(90));
        assert_eq!(value("5", &tiny), (5e-90, false));
        assert_eq!(value(&tiny, &tiny), (1.0, true));
    }

    #[test]
    fn faults_name_the_column() {
        for (text, part) in [
            ("1,1,1,1,1,0,0", "column 6 is 0"),
            ("1,1,x,1,1,1,0", "column 3 is `x`"),
            ("1,1,1,1,1,1,2", "expected 0 or 1"),
            ("1,1,1,1,1,1", "6 columns"),
            ("0.5,1,1,1,1,1,0", "column 1 is `0.5`"),
        ] {
            let fault = line(text).unwrap_err();
            assert!(fault.contains(part), "{text}: {fault}");
        }
        let huge = format!("1{},1,0,1,0,1,0", "0".repeat(400));
        assert!(line(&huge).unwrap_err().contains("below 1e100"));
    }
}
