//! Laws of friction in scene files: what they read as, and what is refused.

use muslin_io::parse;
use muslin_model::{FrictionLaw, Stribeck, Viscous};
use muslin_sim::Scene;

/// A scene with a line in it: `@`.
const FRAME: &str = "duration = 1\n@\n[[cloth]]\nshape = { kind = \"grid\", size = [1, 1], vertices = [4, 4] }\n";

fn read(line: &str) -> Scene {
    let text = FRAME.replace('@', line);
    parse("test.toml", &text, "test", &[]).unwrap_or_else(|error| panic!("{error}")).scene
}

fn assert_refused(text: &str, parts: &[&str]) {
    let Err(faults) = parse("test.toml", text, "test", &[]) else { panic!("this was accepted:\n{text}") };
    let message = faults.to_string();
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in:\n{message}");
    }
}

#[test]
fn laws_of_friction_have_the_terms_that_are_given_or_named() {
    let all = "kinetic = 0.1, static = 0.2, stribeck_speed = 0.4, viscous_force = 6e-5, viscosity = 0.3";
    let object =
        |table: &str| read(&format!("settings.contact.friction_object = {table}")).settings.contact.friction.object;
    assert_eq!(object("0.4"), FrictionLaw::coulomb(0.4));
    assert_eq!(object("{ kinetic = 0.4 }"), FrictionLaw::coulomb(0.4));
    let whole = FrictionLaw {
        kinetic: 0.1,
        sticking: 0.2,
        stribeck: Some(Stribeck { speed: 0.4, exponent: 0.2 }),
        viscous: Some(Viscous { coefficient: 0.3, force: 6e-5, exponent: 1.0 }),
    };
    let named = |law: &str| object(&format!("{{ law = \"{law}\", {all} }}"));
    assert_eq!((object(&format!("{{ {all} }}")), named("viscous")), (whole, whole));
    assert_eq!(named("stribeck"), FrictionLaw { viscous: None, ..whole });
    assert_eq!(named("stiction"), FrictionLaw { viscous: None, stribeck: None, ..whole });
    assert_eq!(named("coulomb"), FrictionLaw::coulomb(0.1));
}

#[test]
fn bodies_may_have_laws_of_their_own() {
    let text = FRAME.replace('@', "obstacle = [{ name = \"ice\", shape = \"plane\", friction = 0.05 }, { shape = { kind = \"box\", size = [1, 1, 1] } }]")
        + "name = \"silk\"\nfriction_cloth = { kinetic = 0.1, static = 0.2 }\n";
    let scene = parse("test.toml", &text, "test", &[]).unwrap_or_else(|error| panic!("{error}")).scene;
    let friction = scene.settings.contact.friction;
    let own: Vec<(&str, bool, bool)> =
        friction.bodies.iter().map(|own| (own.body.as_str(), own.object.is_some(), own.cloth.is_some())).collect();
    assert_eq!(own, [("silk", false, true), ("ice", true, false)]);
    assert_eq!((friction.object, friction.cloth), (FrictionLaw::coulomb(0.3), FrictionLaw::coulomb(0.3)));
}

#[test]
fn faulty_laws_of_friction_are_refused_with_reason_and_range() {
    let cases: [(&str, &[&str]); 12] = [
        ("friction_object = -0.1", &["`settings.contact.friction_object` must be from 0 to 10, found -0.1"]),
        ("friction_object = 11", &["must be from 0 to 10, found 11"]),
        ("friction_object = true", &["must be a number", "boolean"]),
        (
            "friction_object = { kinetic = 0.3, static = 0.2 }",
            &[
                "`settings.contact.friction_object.static` must be from `kinetic` 0.3 to 10, found 0.2",
                "at least as firmly",
            ],
        ),
        ("friction_object = { static = 0.2 }", &["`settings.contact.friction_object.kinetic` is missing"]),
        ("friction_cloth = { kinetic = 0.1, static = -1 }", &["must be from 0 to 10, found -1"]),
        ("friction_cloth = { kinetic = 0.1, stribeck_speed = 0 }", &["from 1e-6 to 1e6 [m/s], found 0"]),
        ("friction_cloth = { kinetic = 0.1, viscosity = -2 }", &["must be from 0 to 1e6", "found -2"]),
        ("friction_cloth = { kinetic = 0.1, viscous_exponent = 2 }", &["no effect without `viscosity`"]),
        ("friction_cloth = { kinetic = 0.1, law = \"stribeck\" }", &["is `stribeck`, which needs `static`"]),
        ("friction_cloth = { kinetic = 0.1, law = \"stribek\" }", &["did you mean `stribeck`?"]),
        ("friction_cloth = { kinetc = 0.1 }", &["did you mean `kinetic`?"]),
    ];
    for (line, parts) in cases {
        assert_refused(&FRAME.replace('@', &format!("settings.contact.{line}")), parts);
    }
    let own = FRAME.replace('@', "") + "friction_cloth = { kinetic = 0.5, static = 0.1 }\n";
    assert_refused(&own, &["`cloth.0.friction_cloth.static` must be from `kinetic` 0.5 to 10, found 0.1"]);
    let obstacle = FRAME.replace('@', "obstacle = [{ shape = \"plane\", friction = { kinetic = 1, static = 0.9 } }]");
    assert_refused(&obstacle, &["`obstacle.0.friction.static` must be from `kinetic` 1 to 10, found 0.9"]);
    let wrong = FRAME.replace('@', "settings.contact.method = \"constraints\"\nsettings.integrator = \"bdf2\"");
    assert_refused(&wrong, &["`constraints` are those of the modified conjugate gradients", "`baraff-witkin`"]);
}

#[test]
fn every_key_of_a_law_without_a_name_changes_it_or_is_refused_for_having_no_effect() {
    // None is the default of its key.
    let keys = ["static = 0.2", "stribeck_speed = 0.4", "stribeck_exponent = 0.3", "viscosity = 0.3"];
    let keys = [keys.as_slice(), &["viscous_force = 6e-5", "viscous_exponent = 2"]].concat();
    let law = |chosen: usize| {
        let given: Vec<&str> = (0..keys.len()).filter(|k| chosen >> k & 1 == 1).map(|k| keys[k]).collect();
        let text = given.iter().fold("kinetic = 0.1".to_string(), |text, key| format!("{text}, {key}"));
        let line = format!("settings.contact.friction_object = {{ {text} }}");
        parse("test.toml", &FRAME.replace('@', &line), "test", &[])
            .map(|file| file.scene.settings.contact.friction.object)
            .map_err(|faults| (faults.to_string(), text))
    };
    let mut accepted = 0;
    for chosen in 0..1 << keys.len() {
        match law(chosen) {
            Ok(whole) => {
                accepted += 1;
                for k in (0..keys.len()).filter(|k| chosen >> k & 1 == 1) {
                    let without = law(chosen & !(1 << k));
                    assert!(without.as_ref() != Ok(&whole), "`{}` does nothing in {whole:?}", keys[k]);
                }
            }
            Err((message, text)) => {
                assert!(message.contains("has no effect without") && message.contains("= help:"), "{text}: {message}");
                // A law by name may leave terms out.
                let named = format!("settings.contact.friction_object = {{ law = \"coulomb\", {text} }}");
                assert_eq!(read(&named).settings.contact.friction.object, FrictionLaw::coulomb(0.1));
            }
        }
    }
    // Nothing, static or static with one or two keys of Stribeck's; nothing or two kinds of viscosity with or without its power.
    assert_eq!(accepted, 4 * 7);
}

#[test]
fn a_stribeck_speed_needs_a_static_coefficient_which_may_be_the_kinetic_one() {
    let line = "settings.contact.friction_object = { kinetic = 0.3, stribeck_speed = 0.2 }";
    let parts = [
        "`settings.contact.friction_object.stribeck_speed` has no effect without `static`",
        "test.toml:2:70",
        "help: give `static` besides",
    ];
    assert_refused(&FRAME.replace('@', line), &parts);
    // As a scene writes it whose parameters make them equal.
    let equal = read("settings.contact.friction_object = { kinetic = 0.3, static = 0.3, stribeck_speed = 0.2 }");
    assert_eq!(equal.settings.contact.friction.object.sticking, 0.3);
}
