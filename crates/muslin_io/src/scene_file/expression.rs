//! Arithmetic in scene files: `"$resolution / 2"`, `"1/60"`, `"floor($n * 1.5) + 1"`.
//!
//! Integers stay integers while the result is exact, so that a count can be computed; everything else is
//! f64. The only names are parameters (with `$`), a few functions and `pi`.

use std::ops::Range;

/// A number that remembers whether it is an integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Integer(i64),
    /// Anything else.
    Real(f64),
}

impl Number {
    /// As f64.
    pub fn real(self) -> f64 {
        match self {
            Number::Integer(i) => i as f64,
            Number::Real(x) => x,
        }
    }
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// What is wrong.
    pub message: String,
    /// Bytes of the text it is about.
    pub at: Range<usize>,
}

/// Functions of one number, and of two.
pub const FUNCTIONS: [&str; 8] = ["floor", "ceil", "round", "abs", "sqrt", "min", "max", "pi"];

/// Brackets and signs inside each other; more would be a mistake, and without a limit could exhaust the stack.
const DEEPEST: usize = 100;

/// The value of an expression; `parameter` gives the value of a `$name`.
pub fn evaluate(
    text: &str,
    parameter: &mut dyn FnMut(&str) -> Result<Number, String>,
) -> Result<Number, ExpressionError> {
    let mut parser = Parser { text, at: 0, depth: 0, parameter };
    let value = parser.sum()?;
    parser.space();
    if parser.at < text.len() {
        return Err(parser.fault("expected `+`, `-`, `*`, `/` or the end"));
    }
    match value.real().is_finite() {
        true => Ok(value),
        false => Err(ExpressionError { message: "the result is not a finite number".into(), at: 0..text.len() }),
    }
}

struct Parser<'t, 'p> {
    text: &'t str,
    at: usize,
    depth: usize,
    parameter: &'p mut dyn FnMut(&str) -> Result<Number, String>,
}

impl<'t> Parser<'t, '_> {
    fn fault(&self, message: &str) -> ExpressionError {
        let next = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        ExpressionError { message: message.into(), at: self.at..self.at + next }
    }

    fn space(&mut self) {
        self.at += self.text[self.at..].len() - self.text[self.at..].trim_start().len();
    }

    fn eat(&mut self, symbol: char) -> bool {
        self.space();
        let found = self.text[self.at..].starts_with(symbol);
        self.at += if found { symbol.len_utf8() } else { 0 };
        found
    }

    fn sum(&mut self) -> Result<Number, ExpressionError> {
        let mut left = self.product()?;
        loop {
            if self.eat('+') {
                left = combine(left, self.product()?, i64::checked_add, |a, b| a + b);
            } else if self.eat('-') {
                left = combine(left, self.product()?, i64::checked_sub, |a, b| a - b);
            } else {
                return Ok(left);
            }
        }
    }

    fn product(&mut self) -> Result<Number, ExpressionError> {
        let mut left = self.factor()?;
        loop {
            if self.eat('*') {
                left = combine(left, self.factor()?, i64::checked_mul, |a, b| a * b);
            } else if self.eat('/') {
                self.space();
                let start = self.at;
                let right = self.factor()?;
                if right.real() == 0.0 {
                    return Err(ExpressionError { message: "division by zero".into(), at: start..self.at });
                }
                let exact = |a: i64, b: i64| if a.checked_rem(b)? == 0 { a.checked_div(b) } else { None };
                left = combine(left, right, exact, |a, b| a / b);
            } else {
                return Ok(left);
            }
        }
    }

    fn factor(&mut self) -> Result<Number, ExpressionError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.fault("too many brackets or signs inside each other"));
        }
        let value = if self.eat('-') {
            combine(Number::Integer(0), self.factor()?, i64::checked_sub, |_, b| -b)
        } else if self.eat('+') {
            self.factor()?
        } else if self.eat('(') {
            self.bracket()?
        } else if self.eat('$') {
            let (name, at) = self.word();
            (self.parameter)(name).map_err(|message| ExpressionError { message, at: at.start - 1..at.end })?
        } else if self.text[self.at..].starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            self.literal()?
        } else {
            self.named()?
        };
        self.depth -= 1;
        Ok(value)
    }

    fn bracket(&mut self) -> Result<Number, ExpressionError> {
        let value = self.sum()?;
        if self.eat(')') { Ok(value) } else { Err(self.fault("expected `)`")) }
    }

    fn word(&mut self) -> (&'t str, Range<usize>) {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let start = self.at;
        self.at += length;
        (&self.text[start..self.at], start..self.at)
    }

    fn literal(&mut self) -> Result<Number, ExpressionError> {
        let rest = &self.text[self.at..];
        let bytes = rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            let sign_of_exponent =
                matches!(bytes[end], b'+' | b'-') && end > 0 && matches!(bytes[end - 1], b'e' | b'E');
            if bytes[end].is_ascii_alphanumeric() || matches!(bytes[end], b'.' | b'_') || sign_of_exponent {
                end += 1;
            } else {
                break;
            }
        }
        let start = self.at;
        self.at += end;
        let digits = rest[..end].replace('_', "");
        if let Ok(integer) = digits.parse::<i64>() {
            return Ok(Number::Integer(integer));
        }
        digits.parse::<f64>().map(Number::Real).map_err(|_| ExpressionError {
            message: format!("`{}` is not a number", &rest[..end]),
            at: start..start + end,
        })
    }

    fn named(&mut self) -> Result<Number, ExpressionError> {
        let (name, at) = self.word();
        if name.is_empty() {
            return Err(self.fault("expected a number, a parameter like `$name`, or `(`"));
        }
        if name == "pi" {
            return Ok(Number::Real(std::f64::consts::PI));
        }
        if !FUNCTIONS.contains(&name) {
            let message = format!("`{name}` is no function; a parameter is written `${name}`");
            return Err(ExpressionError { message, at });
        }
        if !self.eat('(') {
            return Err(self.fault(&format!("expected `(` after `{name}`")));
        }
        let first = self.sum()?;
        let result = match name {
            "min" | "max" => {
                if !self.eat(',') {
                    return Err(self.fault(&format!("`{name}` takes two numbers: expected `,`")));
                }
                let second = self.sum()?;
                let take_first = (first.real() <= second.real()) == (name == "min");
                if take_first { first } else { second }
            }
            "floor" => whole(first.real().floor()),
            "ceil" => whole(first.real().ceil()),
            "round" => whole(first.real().round()),
            "abs" if first.real() < 0.0 => combine(Number::Integer(0), first, i64::checked_sub, |_, b| -b),
            "abs" => first,
            _ => Number::Real(first.real().sqrt()),
        };
        if self.eat(')') { Ok(result) } else { Err(self.fault("expected `)`")) }
    }
}

/// Integers up to here are exact in f64.
const EXACT: f64 = 9.0e15;

fn whole(x: f64) -> Number {
    if x.abs() < EXACT { Number::Integer(x as i64) } else { Number::Real(x) }
}

fn combine(a: Number, b: Number, exact: fn(i64, i64) -> Option<i64>, real: fn(f64, f64) -> f64) -> Number {
    if let (Number::Integer(i), Number::Integer(j)) = (a, b)
        && let Some(k) = exact(i, j)
    {
        return Number::Integer(k);
    }
    Number::Real(real(a.real(), b.real()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Number, ExpressionError> {
        evaluate(text, &mut |name| match name {
            "n" => Ok(Number::Integer(101)),
            "h" => Ok(Number::Real(0.5)),
            _ => Err(format!("no parameter `{name}`")),
        })
    }

    #[test]
    fn precedence_brackets_and_signs_are_those_of_school() {
        for (text, expected) in [
            ("1 + 2 * 3", Number::Integer(7)),
            ("(1 + 2) * 3", Number::Integer(9)),
            ("2 - 3 - 4", Number::Integer(-5)),
            ("-(2 + 3) * -2", Number::Integer(10)),
            ("100 / 10 / 5", Number::Integer(2)),
            ("$n / 2", Number::Real(50.5)),
            ("floor($n / 2)", Number::Integer(50)),
            ("$h * 4", Number::Real(2.0)),
            ("1e-3 + .5", Number::Real(0.501)),
            ("max(3, min(10, $n))", Number::Integer(10)),
            ("abs(0 - 3)", Number::Integer(3)),
            ("sqrt(16)", Number::Real(4.0)),
            ("1/60", Number::Real(1.0 / 60.0)),
            ("2 * pi", Number::Real(std::f64::consts::TAU)),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn integer_overflow_goes_on_as_a_real_number() {
        assert_eq!(value("9223372036854775807 + 1"), Ok(Number::Real(9_223_372_036_854_775_808.0)));
    }

    #[test]
    fn faults_point_at_their_place() {
        for (text, at, part) in [
            ("1 +", 3..3, "expected a number"),
            ("2 * (3 + 4", 10..10, "expected `)`"),
            ("1 / (2 - 2)", 4..11, "division by zero"),
            ("$m + 1", 0..2, "no parameter `m`"),
            ("n + 1", 0..1, "written `$n`"),
            ("1 2", 2..3, "expected `+`"),
            ("1e999", 0..5, "not a finite"),
            ("sqrt(0-1)", 0..9, "not a finite"),
            ("3x", 0..2, "not a number"),
        ] {
            let error = value(text).expect_err(text);
            assert_eq!(error.at, at, "{text}: {}", error.message);
            assert!(error.message.contains(part), "{text}: {}", error.message);
        }
    }

    #[test]
    fn endless_brackets_are_refused_and_do_not_exhaust_the_stack() {
        for open in ["(", "-", "floor("] {
            assert!(value(&open.repeat(100_000)).is_err());
        }
    }
}
