//! Scenes made at random, the same ones for the same seed for ever: sheets above obstacles that move and turn.
//!
//! Obstacles keep to cells of their own and never come down onto the ground, so that there is always room for the cloth: a scene
//! in which something must cross would say nothing.

/// A small generator of random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly between two numbers, in steps of a thousandth, so that the text is short and exact.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        let part = (self.next() % 1001) as f64 / 1000.0;
        ((low + (high - low) * part) * 1e4).round() / 1e4
    }

    fn one_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[(self.next() % list.len() as u64) as usize]
    }
}

const STEPS: [&str; 5] = ["1/200", "1/120", "1/60", "1/30", "1/20"];

/// A fabric between silk and denim: light or heavy, thin or thick, limp or stiff.
fn fabric(r: &mut Random) -> String {
    let (stiff, limp) = (r.between(0.3, 2.0), r.between(0.1, 3.0));
    format!(
        "{{ base = \"woven-cotton\", area_density = {}, thickness = {}, stretch_warp = {}, stretch_weft = {}, bend_warp = {:e}, \
         bend_weft = {:e} }}",
        r.between(0.06, 0.4),
        r.between(3e-4, 1.2e-3),
        (1000.0 * stiff).round(),
        (800.0 * stiff).round(),
        1e-5 * limp,
        8e-6 * limp
    )
}

/// The scene of a seed, as the text of a file.
pub fn text(seed: u64) -> String {
    let mut random = Random(seed);
    let r = &mut random;
    let mut text = format!(
        "name = \"generated-{seed}\"\nduration = 0.6\nframes_per_second = 60\n[settings]\nstep = \"{}\"\n\
         integrator = \"linear-backward-euler\"\nadaptive = {{ most_stretch = 0.05 }}\n\
         contact = {{ method = \"implicit\", friction_object = {}, friction_cloth = {} }}\n",
        r.one_of(&STEPS),
        r.between(0.0, 0.8),
        r.between(0.0, 0.6)
    );
    let sheets = 1 + r.next() % 2;
    for k in 0..sheets {
        let [nx, ny] = [(); 2].map(|()| 5 + r.next() % 5);
        text += &format!(
            "[[cloth]]\nname = \"sheet-{k}\"\nshape = {{ kind = \"grid\", size = [{}, {}], vertices = [{nx}, {ny}] }}\n\
             rotation_axis = [{}, {}, 1]\nrotation_degrees = {}\ntranslation = [{}, {}, {}]\nmaterial = {}\n\
             velocity = [{}, {}, {}]\nperturbation = {}\n",
            r.between(0.25, 0.5),
            r.between(0.25, 0.5),
            r.between(-0.1, 0.1),
            r.between(-0.1, 0.1),
            r.between(0.0, 90.0),
            r.between(-0.1, 0.1),
            r.between(-0.1, 0.1),
            r.between(0.2, 0.22) + 0.12 * k as f64,
            fabric(r),
            r.between(-0.5, 0.5),
            r.between(-0.5, 0.5),
            r.between(-2.0, 0.0),
            r.between(0.0, 1e-3)
        );
        if r.next().is_multiple_of(3) {
            let place = r.one_of(&["left", "right", "bottom-left", "top-right", "top"]);
            text += &format!(
                "[[cloth.pin]]\nplaces = \"{place}\"\nkeyframes = [{{ time = 0 }}, {{ time = {}, translation = [{}, {}, {}] }}]\n",
                r.between(0.2, 0.6),
                r.between(-0.1, 0.1),
                r.between(-0.1, 0.1),
                r.between(-0.1, 0.1)
            );
        }
    }
    for k in 0..1 + r.next() % 3 {
        // Cells of 0.4 m side by side along x; no shape reaches beyond 0.14 m from its middle.
        let shape = match r.next() % 4 {
            0 => format!("{{ kind = \"sphere\", radius = {}, subdivisions = 2 }}", r.between(0.05, 0.12)),
            1 => format!(
                "{{ kind = \"box\", size = [{}, {}, {}] }}",
                r.between(0.05, 0.15),
                r.between(0.05, 0.15),
                r.between(0.05, 0.15)
            ),
            2 => format!(
                "{{ kind = \"torus\", radius = {}, tube = {}, segments = [20, 10] }}",
                r.between(0.06, 0.09),
                r.between(0.015, 0.04)
            ),
            _ => format!(
                "{{ kind = \"capsule\", radius = {}, length = {}, segments = 12 }}",
                r.between(0.02, 0.05),
                r.between(0.02, 0.15)
            ),
        };
        text += &format!(
            "[[obstacle]]\nname = \"obstacle-{k}\"\nshape = {shape}\nrotation_axis = [{}, {}, {}]\nrotation_degrees = {}\n\
             translation = [{}, {}, {}]\n",
            r.between(-1.0, 1.0),
            r.between(-1.0, 1.0),
            1,
            r.between(0.0, 180.0),
            [0.0, 0.4, -0.4][k as usize],
            r.between(-0.1, 0.1),
            r.between(-0.05, 0.02)
        );
        if r.next().is_multiple_of(2) {
            text += &format!(
                "keyframes = [{{ time = {} }}, {{ time = {}, translation = [{}, {}, {}], rotation_axis = [{}, 1, {}], rotation_degrees = {} }}]\n",
                r.between(0.0, 0.2),
                r.between(0.3, 0.6),
                r.between(-0.05, 0.05),
                r.between(-0.2, 0.2),
                r.between(0.0, 0.15),
                r.between(-1.0, 1.0),
                r.between(-1.0, 1.0),
                r.between(-180.0, 180.0)
            );
        }
    }
    if r.next().is_multiple_of(2) {
        text +=
            "[[obstacle]]\nname = \"ground\"\nshape = { kind = \"plane\", size = 4 }\ntranslation = [0, 0, -0.25]\n";
    }
    text
}
