//! How a file of the corpus is damaged.

/// Places, kinds and values of the changes made to a seed.
pub type Edits = Vec<(u16, u8, u8)>;

/// Pieces that make numbers and structures go wrong.
const PIECES: [&[u8]; 16] = [
    b"nan",
    b"-1",
    b"4294967295",
    b"99999999999999999999",
    b"1e999",
    b"\0\0\0\0",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\n",
    b" ",
    b"[",
    b"{",
    b"\"",
    b"f 1 2 3\n",
    b"0",
    b"\\\n",
];

/// The seed with its changes: bytes replaced, pieces put in, cut out, doubled, bits turned, the end lost, and a
/// number in the text or in four bytes made another.
pub fn damage(seed: &[u8], edits: &Edits) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for &(place, kind, value) in edits {
        let at = place as usize % (bytes.len() + 1);
        let end = (at + value as usize % 32).min(bytes.len());
        match kind % 8 {
            0 if at < bytes.len() => bytes[at] = value,
            1 => drop(bytes.splice(at..at, PIECES[value as usize % PIECES.len()].iter().copied())),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            4 => bytes.truncate(at.max(1)),
            5 => {
                // The next number of a text.
                let digit = |b: &u8| b.is_ascii_digit();
                if let Some(start) = bytes[at..].iter().position(digit).map(|k| at + k) {
                    let end = bytes[start..].iter().position(|b| !digit(b)).map_or(bytes.len(), |k| start + k);
                    bytes.splice(start..end, PIECES[value as usize % 5].iter().copied());
                }
            }
            6 if at + 4 <= bytes.len() => {
                // A number of four bytes, in either order.
                let large = [u32::MAX, 1 << 31, i32::MAX as u32, 1 << 30, 0x1000_0000, 1 << 16, 256, 0];
                let number = large[value as usize % 8];
                let word = if value & 8 == 0 { number.to_le_bytes() } else { number.to_be_bytes() };
                bytes[at..at + 4].copy_from_slice(&word);
            }
            _ if at < bytes.len() => bytes[at] ^= 1 << (value % 8),
            _ => {}
        }
    }
    bytes
}

#[test]
fn edits_change_a_file_in_every_way() {
    let seed = b"v 1 22 3\nf 1 2 3\n".to_vec();
    for kind in 0..8 {
        assert_ne!(damage(&seed, &vec![(3, kind, 1)]), seed, "{kind}");
    }
    assert_eq!(damage(&seed, &vec![(3, 5, 4)]), b"v 1 1e999 3\nf 1 2 3\n");
}
