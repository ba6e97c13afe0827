//! The frame rate of an animation that does not say it, from the times of its keys.

/// Usual rates of films and programs [1/s], the likeliest first.
const USUAL: [f64; 9] = [24.0, 25.0, 30.0, 60.0, 50.0, 120.0, 24000.0 / 1001.0, 30000.0 / 1001.0, 60000.0 / 1001.0];

/// Keys that stand further apart than this rate [1/s] are poses to go between, not frames.
const SLOWEST: f64 = 12.0;

/// A rate is meant to be a whole number if it is this near to one [-].
const WHOLE: f64 = 1e-4;

/// A key is on a frame if it is this near to it [frames]; exporters round times to single precision or to milliseconds.
const ON_FRAME: f64 = 0.02;

/// The rate at which every key stands on a frame, counted from `start` [s]; `None` if there is no usual one. Each list
/// holds the ascending times of one curve [s].
pub fn rate_of(curves: &[&[f64]], start: f64) -> Option<f64> {
    let longest = curves.iter().max_by_key(|times| times.len())?;
    let span = longest.last()? - longest.first()?;
    let own = (longest.len() - 1) as f64 / span;
    let own = if (own - own.round()).abs() < WHOLE * own { own.round() } else { own };
    // Evenly spaced keys tell the rate themselves.
    let even = (own >= SLOWEST && own.is_finite()).then_some(own);
    let fits = |rate: &f64| {
        let near = |t: &f64| {
            let frame = (t - start) * rate;
            (frame - frame.round()).abs() <= ON_FRAME
        };
        curves.iter().flat_map(|times| times.iter()).all(near)
    };
    USUAL
        .into_iter()
        .find(|rate| even.is_some_and(|own| (own - rate).abs() < WHOLE * rate) && fits(rate))
        .or_else(|| even.filter(fits).or_else(|| USUAL.into_iter().find(fits)))
}

#[cfg(test)]
mod tests {
    use super::rate_of;

    fn times(rate: f64, frames: impl Iterator<Item = u32>) -> Vec<f64> {
        frames.map(|k| f64::from((f64::from(k) / rate) as f32)).collect()
    }

    #[test]
    fn even_keys_tell_their_rate() {
        for rate in [24.0, 25.0, 30.0, 60.0, 120.0, 100.0, 24000.0 / 1001.0] {
            let even = times(rate, 0..500);
            let found = rate_of(&[&even], 0.0).unwrap();
            assert!((found - rate).abs() < 1e-9 * rate, "{found} for {rate}");
        }
        assert_eq!(rate_of(&[&[0.0, 0.5, 1.0]], 0.0), Some(24.0), "poses half a second apart are on frames of 24");
    }

    #[test]
    fn sparse_keys_of_a_usual_rate_tell_it_and_odd_ones_do_not() {
        let sparse = times(30.0, [0, 1, 7, 22, 91].into_iter());
        let other = times(30.0, [3, 4].into_iter());
        assert_eq!(rate_of(&[&sparse, &other], 0.0), Some(30.0));
        assert_eq!(rate_of(&[&[0.0, 0.137, 0.611]], 0.0), None);
        assert_eq!(rate_of(&[], 0.0), None);
        // A single pose is on every frame.
        assert_eq!(rate_of(&[&[0.0]], 0.0), Some(24.0));
    }
}
