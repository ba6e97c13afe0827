//! Faulty scene files are refused with place, valid range and a suggestion, and never panic.

use muslin_io::{builtin, load, parse};

/// A valid scene whose lines the cases replace: `@` marks the line that a case inserts, line 3.
const FRAME: &str = "duration = 1\nframes_per_second = 30\n@\n[[cloth]]\nshape = { kind = \"grid\", size = [1, 1], vertices = [4, 4] }\n";

fn faults(text: &str, overrides: &[&str]) -> String {
    let overrides: Vec<String> = overrides.iter().map(|s| s.to_string()).collect();
    match parse("test.toml", text, "test", &overrides) {
        Ok(_) => panic!("this was accepted:\n{text}\n{overrides:?}"),
        Err(faults) => faults.to_string(),
    }
}

fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in:\n{message}");
    }
}

#[test]
fn the_frame_of_the_cases_is_valid() {
    parse("test.toml", &FRAME.replace('@', ""), "test", &[]).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn faulty_lines_are_refused_at_their_place() {
    let cases: [(&str, &[&str]); 27] = [
        ("gravty = [0, 0, 0]", &["test.toml:3:1", "a scene has no key `gravty`"]),
        ("descripton = \"x\"", &["test.toml:3:1", "no key `descripton`", "did you mean `description`?"]),
        ("description = 3", &["test.toml:3:15", "must be a string, found an integer"]),
        ("settings.step = -1", &["test.toml:3:17", "`settings.step` must be from 1e-9 to 10 [s], found -1"]),
        ("settings.step = nan", &["test.toml:3:17", "found NaN"]),
        ("settings.step = inf", &["test.toml:3:17", "found inf"]),
        ("settings.step = 1e999", &["test.toml:3:17", "too large"]),
        ("settings.step = 99999999999999999999", &["test.toml:3:17", "64 bits"]),
        ("settings.step = true", &["test.toml:3:17", "must be a number, found a boolean"]),
        ("settings.step = 1979-05-27", &["test.toml:3:17", "found a date"]),
        ("settings.step = \"1/0\"", &["test.toml:3:17", "division by zero"]),
        ("settings.step = \"$n\"", &["test.toml:3:17", "no parameter `n`", "no [parameters]"]),
        ("settings = []", &["test.toml:3:12", "must be a table, found an array"]),
        ("settings.integrator = \"newmark\"", &["test.toml:3:23", "`bdf2`", "found `newmark`"]),
        ("settings.integrator = { epsilon = 0 }", &["test.toml:3:23", "must say its `kind`", "`verlet`"]),
        (
            "settings.integrator = { kind = \"bdf2\", epsilon = 0 }",
            &["test.toml:3:40", "no key `epsilon`", "takes no keys"],
        ),
        ("settings.newton.most_iterations = 2.5", &["test.toml:3:35", "must be an integer from 1 to 1e6, found 2.5"]),
        ("environment.gravity = [0, 0]", &["test.toml:3:23", "must be a list of 3, found 2 values"]),
        (
            "environment.gravity = [0, 0, \"down\"]",
            &["test.toml:3:30", "`environment.gravity.2`", "found the string `down`"],
        ),
        ("environment.wind.gusts = [{ velocity = [1, 0, 0], period = 0 }]", &["test.toml:3:60", "greater than 0"]),
        (
            "environment.wind.gusts = [{ period = 1 }]",
            &["test.toml:3:27", "`environment.wind.gusts.0.velocity` is missing"],
        ),
        ("camera = { position = [0, 0, 0] }", &["must differ from its `position`"]),
        ("obstacle = { shape = \"plane\" }", &["must be a list of tables", "[[obstacle]]"]),
        (
            "obstacle = [{ shape = { kind = \"torus\", radius = 1, tube = 2 } }]",
            &["test.toml:3:60", "smaller than `radius` 1"],
        ),
        (
            "obstacle = [{ shape = { kind = \"funnel\", top_radius = 1, pipe_radius = 2, cone_height = 1, pipe_length = 1 } }]",
            &["larger than `pipe_radius` 2"],
        ),
        ("obstacle = [{ shape = \"plane\", rotation_axis = [0, 0, 0] }]", &["must not be zero: it is a direction"]),
        (
            "obstacle = [{ shape = \"plane\", keyframes = [{ time = 1 }, { time = 1 }] }]",
            &["test.toml:3:68", "must ascend in time"],
        ),
    ];
    for (line, parts) in cases {
        assert_says(&faults(&FRAME.replace('@', line), &[]), parts);
    }
}

#[test]
fn faulty_cloths_are_refused_at_their_place() {
    let cases: [(&str, &[&str]); 33] = [
        (
            "material = { bend_hysteresis = 1e12, bend_transition = 1e-9 }",
            &[
                "test.toml:6:32",
                "b1 = (bend_warp + bend_weft)/2 + bend_hysteresis/bend_transition of `cloth.0.material` must be at most 1e12 [N·m], found 1.000e21",
                "help: lower `bend_hysteresis` or raise `bend_transition`",
            ],
        ),
        ("material = { bend_transition = 1e-20 }", &["test.toml:6:32", "must be at most 1e12 [N·m], found 8.000e16"]),
        ("material = { bend_initial = 1e21 }", &["`cloth.0.material.bend_initial`", "at most 1e12 [N·m], found 1e21"]),
        (
            "material = { bend_warp = 2e-5, bend_initial = 1e-5 }",
            &[
                "test.toml:6:47",
                "greater than the mean of `bend_warp` and `bend_weft`, 1.500e-5 [N·m], found 1e-5",
                "friction",
            ],
        ),
        (
            "material = { bend_crease = -0.1 }",
            &["test.toml:6:28", "must be from 0 to 1, found -0.1", "help: `bend_crease`: Part of the curvature"],
        ),
        ("material = { bend_fatigue = 1.5 }", &["must be from 0 to 1, found 1.5"]),
        ("material = { bend_transition = 0 }", &["greater than 0 and at most 1e12 [1/m], found 0"]),
        (
            "material = { shear_transition = 2 }",
            &["`cloth.0.material.shear_transition` must be greater than 0 and at most 1"],
        ),
        ("material = { shear_hysteresis = -1 }", &["from 0 to 1e12 [N/m], found -1"]),
        ("material = { bend_transition = 9, bend_initial = 1 }", &["the same thing twice", "leave one of them out"]),
        ("material = \"woven-coton\"", &["test.toml:6:12", "did you mean `woven-cotton`?"]),
        (
            "material = { shear = -1 }",
            &["test.toml:6:22", "`cloth.0.material.shear` must be from 0 to 1e12 [N/m], found -1"],
        ),
        ("material = { area_density = 0 }", &["greater than 0 and at most 1000 [kg/m²], found 0"]),
        ("material = { sheer = 1 }", &["test.toml:6:14", "did you mean `shear`?"]),
        ("material = { bend_bias = 1e-9 }", &["test.toml:6:26", "5e-6", "negative stiffness"]),
        ("material = { shear = { per_vertex = [1, 2] } }", &["has 2 values, but the cloth has 16 vertices"]),
        ("material = { shear = { per_face = [1, 2] } }", &["has 2 values, but the cloth has 18 faces"]),
        ("material = { shear = { per_edge = [1, 2] } }", &["test.toml:6:22", "per_vertex"]),
        ("material = { shear = { per_face = [-1] } }", &["`cloth.0.material.shear.per_face.0`", "found -1"]),
        ("scale = 0", &["test.toml:6:9", "from 1e-6 to 1e6"]),
        ("velocity = 3", &["test.toml:6:12", "must be a list of 3, found an integer"]),
        ("pin = [{ }]", &["must say which vertices it holds"]),
        ("pin = [{ places = \"top\", vertices = [1] }]", &["exactly one of"]),
        ("pin = [{ places = [\"tpo\"] }]", &["test.toml:6:20", "did you mean `top`?"]),
        ("pin = [{ vertices = [16] }]", &["test.toml:6:21", "must be from 0 to 15, found 16"]),
        ("pin = [{ vertices = [-1] }]", &["test.toml:6:22", "`cloth.0.pin.0.vertices.0`"]),
        ("pin = [{ vertices = [] }]", &["at least one vertex"]),
        (
            "pin = [{ box = { low = [9, 9, 9], high = [9, 9, 9] } }]",
            &["test.toml:6:16", "holds no vertex", "translation"],
        ),
        ("pin = [{ places = \"top\", axes = [] }]", &["one to three directions"]),
        ("pin = [{ places = \"top\", axes = [\"x\", [2, 0, 0]] }]", &["one to three directions"]),
        ("pin = [{ places = \"top\", axes = [\"w\"] }]", &["`x`, `y`, `z` or a vector, found `w`"]),
        ("pin = [{ places = \"top\", velocity = [0, 0, 0], keyframes = [{ time = 0 }] }]", &["not both"]),
        ("pin = [{ box = { low = [1, 0, 0], high = [0, 0, 0] } }]", &["must not exceed"]),
    ];
    for (line, parts) in cases {
        assert_says(&faults(&format!("{}{line}\n", FRAME.replace('@', "")), &[]), parts);
    }
}

#[test]
fn faulty_mechanisms_and_loads_are_refused_with_the_valid_range() {
    let cases: [(&str, &[&str]); 16] = [
        ("curve = -1", &["`cloth.0.stretch.curve` must be from 0 to 100, found -1"]),
        ("curve = 1, curve_range = -2", &["curve_range` must be from 0 to 1e6 [m], found -2"]),
        ("force_transfer = 2", &["must be `true` or `false`"]),
        ("force_transfer = true, transfer_reach = 0", &["greater than 0 and at most 1, found 0"]),
        ("orthogonal_resistance = nan", &["found NaN"]),
        ("orthogonal_growth = -1", &["must be from 0 to 1e12 [m³], found -1"]),
        ("realignment = 1.5", &["must be 0, or at least 2, found 1.5", "swing ever further"]),
        ("wrinkle_memory = -1", &["must be from 0 to 1e12 [N·m], found -1"]),
        ("wrinkle_degrees = 0", &["must be from 1 to 179 [°], found 0"]),
        ("wrinkle_permanence = 0", &["greater than 0 and at most 1, found 0"]),
        ("wrinkle_permanence = 1.1", &["greater than 0 and at most 1, found 1.1"]),
        ("wrinkle_width = 3", &["must be an even number from 2 to 64, found 3", "middle"]),
        ("wrinkle_width = 66", &["must be an integer from 2 to 64, found 66"]),
        ("wrinkle_memry = 1", &["did you mean `wrinkle_memory`?"]),
        ("force_transfr = true", &["did you mean `force_transfer`?"]),
        ("curv = 1", &["did you mean `curve`?"]),
    ];
    for (keys, parts) in cases {
        let line = format!("stretch = {{ kind = \"grid-springs\", {keys} }}");
        assert_says(&faults(&format!("{}{line}\n", FRAME.replace('@', "")), &[]), parts);
    }
    let loads: [(&str, &[&str]); 7] = [
        ("force = [1, 0, 0]", &["must say which vertices it acts on", "`places`, `vertices` or `box`"]),
        ("vertices = [1]", &["force"]),
        ("vertices = [16], force = [1, 0, 0]", &["must be from 0 to 15, found 16"]),
        ("places = \"tpo\", force = [1, 0, 0]", &["did you mean `top`?"]),
        ("places = \"top\", vertices = [1], force = [1, 0, 0]", &["exactly one of `places`, `vertices` and `box`"]),
        ("vertices = [1], force = [1e99, 0, 0]", &["must be from -1e9 to 1e9 [N]"]),
        ("vertices = [1], force = [1, 0, 0], start = 2, end = 1", &["must be later than `start`, 2 s, found 1 s"]),
    ];
    for (keys, parts) in loads {
        assert_says(&faults(&format!("{}load = [{{ {keys} }}]\n", FRAME.replace('@', "")), &[]), parts);
    }
}

#[test]
fn faulty_wrinkles_are_refused_with_the_reason() {
    let springs = "stretch = { kind = \"grid-springs\", wrinkle_memory = 1 }\n";
    let line = "wrinkle = [{ from = [0, 0], to = [0, 1], degrees = 30 }]";
    let cases: [(&str, &str, &[&str]); 8] = [
        ("", line, &["`cloth.0.wrinkle` has no effect without a memory of wrinkles", "wrinkle_memory"]),
        ("", "wrinkle_drape = \"no.obj\"", &["`cloth.0.wrinkle_drape` has no effect without"]),
        (springs, "wrinkle = [{ from = [0, 0], to = [0, 1] }]", &["`cloth.0.wrinkle.0.degrees` is missing"]),
        (
            springs,
            "wrinkle = [{ from = [0, 0], to = [0, 1], degrees = 0 }]",
            &["must not be 0", "leave the wrinkle out"],
        ),
        (
            springs,
            "wrinkle = [{ from = [0, 0], to = [0, 1], degrees = 200 }]",
            &["must be from -179 to 179 [°], found 200"],
        ),
        (
            springs,
            "wrinkle = [{ from = [0, 1], to = [0, 1], degrees = 20 }]",
            &["`cloth.0.wrinkle.0.to` must differ from `from`"],
        ),
        (springs, "wrinkle = [{ from = [0, 1], too = [0, 1], degrees = 20 }]", &["did you mean `to`?"]),
        (springs, "wrinkle_drape = \"no-such-drape.obj\"", &["no-such-drape.obj", "relative to the scene file"]),
    ];
    for (stretch, line, parts) in cases {
        assert_says(&faults(&format!("{}{stretch}{line}\n", FRAME.replace('@', "")), &[]), parts);
    }
}

#[test]
fn faulty_settings_on_the_command_line_are_refused_with_a_suggestion() {
    let text = FRAME.replace(
        '@',
        "parameters = { resolution = { default = 4, range = [2, 9] }, step = 1 }\nsettings.step = \"$step\"",
    );
    let cases: [(&str, &[&str]); 17] = [
        (
            "resolutoin=3",
            &["--set 'resolutoin=3'", "no parameter and no key `resolutoin`", "did you mean `resolution`?"],
        ),
        ("resolution=1", &["must be from 2 to 9, found 1", "1:12"]),
        ("resolution=abc", &["must be from 2 to 9, found a string"]),
        ("step=-1", &["`settings.step`", "found -1", "used at test.toml:4:17: \"$step\""]),
        ("triangulation=x", &["no key `triangulation`"]),
        ("gravity=[0,0,0]", &["did you mean `environment.gravity`?"]),
        ("clot.0.name=x", &["did you mean `cloth.0.name`?"]),
        ("material.shear=3", &["did you mean `cloth.0.material.shear`?"]),
        ("newton.residual=1", &["did you mean `settings.newton.residual`?"]),
        ("camra.position=[0,0,0]", &["did you mean `camera.position`?"]),
        ("cloth.1.name=x", &["`cloth` has no entry `1`: it has one entry, number 0"]),
        ("cloth.x.name=x", &["`cloth` has no entry `x`"]),
        ("obstacle.0.name=x", &["no `obstacle` to change"]),
        ("duration.x=1", &["`duration` is an integer and has no key `x`"]),
        ("parameters.none=1", &["no parameter and no key `parameters.none`"]),
        ("novalue", &["needs NAME=VALUE"]),
        ("=3", &["not a path"]),
    ];
    for (argument, parts) in cases {
        assert_says(&faults(&text, &[argument]), parts);
    }
}

#[test]
fn a_path_is_suggested_only_if_the_schema_has_all_of_it() {
    let text = FRAME.replace('@', "parameters = { resolution = 4 }\nsettings.newton.most_iterations = \"$resolution\"");
    let suggested = |argument: &str| {
        let message = faults(&text, &[argument]).to_string();
        assert!(message.contains("no parameter and no key"), "{message}");
        message.split("did you mean `").nth(1).map(|rest| rest.split('`').next().unwrap_or_default().to_string())
    };
    let cases = [
        ("material.shaer=3", "cloth.0.material.shear"),
        ("materal.bend_initial=3", "cloth.0.material.bend_initial"),
        ("camra.positon=[0,0,0]", "camera.position"),
        ("camra.position.1=3", "camera.position.1"),
        ("clot.0.friction_cloth.statik=0.1", "cloth.0.friction_cloth.static"),
        ("clot.0.shape.size=[1,1]", "cloth.0.shape.size"),
        ("pin.1.places=top", "cloth.0.pin.1.places"),
        ("parameters.resolutoin=3", "resolution"),
    ];
    for (argument, path) in cases {
        assert_eq!(suggested(argument).as_deref(), Some(path), "{argument}");
        let value = argument.split_once('=').unwrap().1;
        let message = match parse("test.toml", &text, "test", &[format!("{path}={value}")]) {
            Ok(_) => String::new(),
            Err(faults) => faults.to_string(),
        };
        assert!(!message.contains("no key"), "`{path}` was suggested: {message}");
    }
    for argument in ["material.lambda=-1", "material.friction.static=0.1", "camra.lambda=1", "clot.x.name=1"] {
        assert_eq!(suggested(argument), None, "{argument}");
    }
}

#[test]
fn parameters_that_cannot_be_resolved_are_refused() {
    let with = |lines: &str| format!("{}[parameters]\n{lines}\n", FRAME.replace('@', "settings.step = \"$a\""));
    assert_says(&faults(&with("a = \"$b\"\nb = \"$a + 1\""), &[]), &["depends on itself"]);
    assert_says(&faults(&with("a = \"$bb\"\nb = 1"), &[]), &["no parameter `bb`", "did you mean `$b`?"]);
    assert_says(&faults(&with("a = \"1 + \"\nb-c = 1"), &[]), &["`b-c` cannot be the name of a parameter"]);
    assert_says(&faults(&with("a = \"2 * ($b\"\nb = 1"), &[]), &["test.toml:7:13", "expected `)`"]);
    assert_says(&faults(&with("a = \"$b + 1\"\nb = [1]"), &[]), &["`$b` is an array, not a number"]);
    assert_says(&faults(&with("a = { default = 1, rang = [0, 1] }"), &[]), &["no key `rang`"]);
    assert_says(&faults(&with("a = { default = 1, range = [1, 0] }"), &[]), &["[smallest, largest]"]);
    assert_says(&faults(&with("a = true"), &[]), &["must be a number, found a boolean", "used at test.toml:3:17"]);
}

#[test]
fn parameters_that_multiply_without_end_are_refused_in_reasonable_time() {
    let mut text = FRAME.replace('@', "description = \"$p30\"") + "[parameters]\np0 = 1\n";
    for k in 1..=30 {
        text += &format!("p{k} = [\"$p{0}\", \"$p{0}\", \"$p{0}\", \"$p{0}\"]\n", k - 1);
    }
    assert_says(&faults(&text, &[]), &["multiply to more than"]);
}

#[test]
fn broken_toml_is_refused_with_its_place() {
    assert_says(&faults("duration = 2\n[[cloth]\n", &[]), &["not valid TOML", "test.toml:2:9"]);
    assert_says(&faults("duration = \n", &[]), &["not valid TOML", "test.toml:1:"]);
    assert_says(&faults("duration = 1\nduration = 2\n", &[]), &["not valid TOML", "test.toml:2:1", "duplicate key"]);
    assert_says(&faults(&"[".repeat(50_000), &[]), &["not valid TOML"]);
    assert_says(&faults(&format!("{} = 1", vec!["a"; 20_000].join(".")), &[]), &["not valid TOML"]);
    assert_says(&faults("", &[]), &["`duration` is missing", "`cloth` is missing"]);
    assert_says(&faults("duration = 1\ncloth = []", &[]), &["at least one cloth"]);
}

#[test]
fn all_faults_are_shown_at_once_in_the_order_of_the_file() {
    let text = "duration = -1\nsettings.step = 0\n[[cloth]]\nshape = \"gird\"\nmaterial = 3\n";
    let message = faults(text, &[]);
    let places: Vec<usize> = ["1:12", "2:17", "4:9", "5:12"]
        .iter()
        .map(|p| message.find(p).unwrap_or_else(|| panic!("{p}: {message}")))
        .collect();
    assert!(places.is_sorted(), "{message}");
}

#[test]
fn a_long_line_is_cut_around_the_fault() {
    let values = vec!["1"; 5000].join(", ");
    let text = format!("{}material = {{ shear = {{ per_face = [{values}, x] }} }}\n", FRAME.replace('@', ""));
    let message = faults(&text, &[]);
    assert!(message.lines().all(|line| line.chars().count() < 200), "{message}");
    assert_says(&message, &["test.toml:6:150", "…"]);
}

#[test]
fn equal_names_and_enormous_cloths_are_refused() {
    let twice = FRAME.replace('@', "")
        + "name = \"a\"\n[[cloth]]\nname = \"a\"\nshape = { kind = \"disc\", radius = 1, rings = 3 }\n";
    assert_says(&faults(&twice, &[]), &["two bodies have the name `a`", "test.toml:8:8"]);
    assert_says(&faults(&FRAME.replace('@', ""), &["cloth.0.shape.vertices=[20000, 20000]"]), &["at most 4000000"]);
    assert_says(&faults(&FRAME.replace('@', ""), &["duration=1e5", "frames_per_second=1e5"]), &["at most 1e7 frames"]);
}

#[test]
fn what_is_no_scene_file_is_refused() {
    let refused = |name: &str| load(name, &[]).expect_err(name).to_string();
    assert_says(&refused("drap"), &["no built-in scene and no file `drap`", "did you mean `drape`?"]);
    assert_says(&refused(""), &["`muslin scenes` lists"]);
    let directory = tempfile::tempdir().unwrap();
    assert_says(&refused(directory.path().to_str().unwrap()), &["not a file"]);
    let binary = directory.path().join("binary.toml");
    std::fs::write(&binary, [0x64, 0xff, 0xfe, 0]).unwrap();
    assert_says(&refused(binary.to_str().unwrap()), &["byte 1 is not UTF-8"]);
}

/// Damaged copies of the built-in scenes: bytes removed, doubled, replaced. Each is read or refused.
#[test]
fn no_damaged_file_panics() {
    let mut seed = 0x2545_F491_4F6C_DD1Du64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    let tokens =
        ["\"", "[", "]", "{", "}", "=", "$", "-", ".", "1e400", "nan", "\n", "'", "0", "kind", "é", "$resolution", "("];
    let (mut read, mut refused) = (0, 0);
    for round in 0..3000 {
        let mut text: Vec<char> = builtin::SCENES[round % builtin::SCENES.len()].text.chars().collect();
        for _ in 0..1 + random(4) {
            let at = random(text.len());
            let end = (at + random(12)).min(text.len());
            match random(3) {
                0 => drop(text.drain(at..end)),
                1 => drop(text.splice(at..at, tokens[random(tokens.len())].chars())),
                _ => drop(text.splice(at..end, tokens[random(tokens.len())].chars())),
            }
        }
        let text: String = text.into_iter().collect();
        match parse("test.toml", &text, "test", &[]) {
            Ok(_) => read += 1,
            Err(faults) => {
                assert!(!faults.0.is_empty() && faults.to_string().contains("error: "), "{text}");
                refused += 1;
            }
        }
    }
    assert!(read > 100 && refused > 1000, "{read} read, {refused} refused");
}
