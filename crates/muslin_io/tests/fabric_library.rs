//! The library of fabrics: every number plausible and with an origin, and scenes that use it.

use muslin_io::fabrics::{self, How, LibraryError, parse};
use muslin_model::{Field, Material};
use muslin_sim::{BendModel, StretchModel};

const SOURCES: &str = "[[source]]\nname = \"here\"\ntext = \"this test\"\n";

/// A fabric that states everything, with one line changed.
fn library(replace: &str, with: &str) -> Result<Vec<fabrics::Fabric>, LibraryError> {
    let mut text = String::from("[[fabric]]\nname = \"a\"\ndescription = \"b\"\n");
    for q in fabrics::QUANTITIES.iter().take(15) {
        let value = 0.5 * (q.range[0] + q.range[1]);
        text += &format!("{} = {{ value = {value:e}, how = \"assumed\", source = \"here\" }}\n", q.key);
    }
    assert!(replace.is_empty() || text.contains(replace), "{text}");
    parse(SOURCES, &[&text.replacen(replace, with, 1)])
}

#[test]
fn there_are_at_least_twenty_fabrics_with_different_names() {
    let names: std::collections::BTreeSet<_> = fabrics::all().iter().map(|f| &f.name).collect();
    assert!(names.len() >= 20 && names.len() == fabrics::all().len(), "{}", names.len());
    assert!(fabrics::with_tables().len() >= 10);
}

#[test]
fn every_number_has_an_origin_that_can_be_read() {
    for f in fabrics::all() {
        assert!(!f.description.is_empty());
        for v in &f.values {
            assert!(v.source.text.len() > 20, "{} {}: {:?}", f.name, v.quantity.key, v.source);
            // What was not measured says so in its source, and what was cites a publication or a file.
            let text = v.source.text.as_str();
            match v.how {
                How::Measured => assert!(["2011", "2016", "Codim-IPC"].iter().any(|w| text.contains(w)), "{text}"),
                How::Fitted => assert!(text.contains("chosen so that"), "{text}"),
                How::Assumed => assert!(
                    ["no measurement", "not measured", "usual", "half of", "relaxation"]
                        .iter()
                        .any(|w| text.contains(w)),
                    "{text}"
                ),
            }
        }
        let measured = f.values.iter().filter(|v| v.how == How::Measured).count();
        assert!(measured > 0 || f.values.iter().all(|v| !v.source.text.contains("table 5")), "{}", f.name);
    }
}

#[test]
fn every_fabric_is_one_that_models_accept() {
    for f in fabrics::all() {
        let m = f.material();
        let value = |field: &Field| field.values()[0];
        let least = 0.25 * (value(&m.bend_warp) + value(&m.bend_weft))
            + 0.5 * value(&m.bend_poisson) * (value(&m.bend_warp) * value(&m.bend_weft)).sqrt();
        assert!(value(&m.bend_bias) >= least * (1.0 - 1e-12), "{}: twisting would have a negative stiffness", f.name);
    }
}

#[test]
fn tables_begin_with_the_constants_of_their_fabric() {
    for f in fabrics::all().iter().filter(|f| f.stretch_table.is_some()) {
        let [c11, c22, c12, c33] = f.stretch_table.as_ref().unwrap().table.rest();
        let at = |key| f.value(key).unwrap();
        // Uniaxial stiffness of the rest row.
        for (key, expected) in
            [("stretch_warp", c11 - c12 * c12 / c22), ("stretch_weft", c22 - c12 * c12 / c11), ("shear", c33)]
        {
            assert!((at(key) / expected - 1.0).abs() < 1e-4, "{} {key}: {} {expected}", f.name, at(key));
        }
        let first = f.bend_table.as_ref().unwrap().given[0];
        assert_eq!([first.warp, first.bias, first.weft], [at("bend_warp"), at("bend_bias"), at("bend_weft")]);
    }
}

#[test]
fn the_default_of_the_library_is_the_default_of_scenes() {
    assert_eq!(fabrics::find("woven-cotton").unwrap().material(), Material::woven_cotton());
}

#[test]
fn numbers_without_an_origin_in_other_units_or_unknown_are_refused() {
    assert_eq!(library("", "").unwrap().len(), 1);
    assert!(matches!(library("source = \"here\"", "source = \"there\""), Err(LibraryError::Source { .. })));
    assert!(matches!(library(", source = \"here\"", ""), Err(LibraryError::Syntax(_))));
    assert!(matches!(library("how = \"assumed\", ", ""), Err(LibraryError::Syntax(_))));
    assert!(matches!(library("how = \"assumed\"", "how = \"guessed\""), Err(LibraryError::Syntax(_))));
    // 204 g/m² instead of 0.204 kg/m².
    let error = library("value = 1.005e0", "value = 204").unwrap_err();
    assert!(error.to_string().contains("`area_density` is 204; of cloth it is between 0.01 and 2 [kg/m²]"), "{error}");
    assert!(matches!(library("area_density", "area_densty"), Err(LibraryError::Unknown { .. })));
    let missing = library("shear = { value = 5.000025e4, how = \"assumed\", source = \"here\" }\n", "").unwrap_err();
    assert_eq!(missing.to_string(), "fabric `a` does not state `shear` [N/m]");
}

fn scene(material: &str, further: &str) -> Result<muslin_sim::Scene, muslin_io::scene_file::Faults> {
    let text = format!(
        "duration = 1\n[[cloth]]\nshape = {{ kind = \"grid\", size = [1, 1], vertices = [4, 4] }}\nmaterial = {material}\n{further}"
    );
    muslin_io::parse("test.toml", &text, "test", &[]).map(|loaded| loaded.scene)
}

#[test]
fn scenes_call_fabrics_by_name_and_change_single_values() {
    let cloth = &scene("\"denim-11oz\"", "stretch = \"tabulated\"\nbend = \"tabulated\"\n").unwrap().cloths[0];
    assert_eq!((cloth.stretch, cloth.bend), (StretchModel::Tabulated, BendModel::Tabulated));
    assert_eq!(cloth.material.area_density, Field::Uniform(0.324));
    let changed = &scene("{ base = \"denim-11oz\", shear = 99 }", "").unwrap().cloths[0].material;
    assert_eq!((&changed.shear, &changed.area_density), (&Field::Uniform(99.0), &Field::Uniform(0.324)));
    // A scene that is built with the tables runs a step.
    let scene = scene("\"gray-interlock\"", "stretch = \"tabulated\"\nbend = \"tabulated\"\n").unwrap();
    let mut simulation = muslin_sim::Simulation::new(&scene).unwrap();
    simulation.next_frame().unwrap();
}

#[test]
fn built_in_scenes_take_every_fabric() {
    for f in fabrics::all() {
        let set = [format!("material={}", f.name)];
        let scene = muslin_io::load("drape", &set).unwrap_or_else(|error| panic!("{error}")).scene;
        assert_eq!(scene.cloths[0].material, f.material());
    }
}

#[test]
fn an_unknown_fabric_or_one_without_a_table_is_refused_with_what_to_do() {
    let help = |material: &str, further: &str| {
        let faults = scene(material, further).unwrap_err();
        (faults.0[0].message.clone(), faults.0[0].help.join(" "))
    };
    assert_eq!(help("\"denim-11-oz\"", "").1, "did you mean `denim-11oz`?");
    assert!(help("\"unobtainium\"", "").1.contains("`muslin fabrics` lists the names"));
    let (message, help) = help("\"woven-cotton\"", "stretch = \"tabulated\"\n");
    assert!(
        message.contains("`woven-cotton` has no measured table") && help.contains("denim-11oz"),
        "{message} {help}"
    );
}

#[test]
fn a_loop_in_kawabatas_unit_is_doubted_with_its_factor_and_the_widest_of_a_cloth_is_not() {
    let frame = "duration = 1\n[[cloth]]\nshape = { kind = \"grid\", size = [1, 1], vertices = [3, 3] }\nbend = \"hysteresis\"\n";
    let warnings = |width: &str| {
        let material = format!("material = {{ bend_hysteresis = {width} }}\n");
        muslin_io::parse("test.toml", &format!("{frame}{material}"), "test", &[]).unwrap().warnings
    };
    let doubted = warnings("0.139");
    assert_eq!(doubted.len(), 1, "{doubted:?}");
    for part in ["`cloth.0.material.bend_hysteresis` is 0.139 N", "gf·cm/cm", "9.80665e-3", "1.363e-3"] {
        assert!(doubted[0].contains(part), "`{part}`: {}", doubted[0]);
    }
    assert_eq!(warnings("{ per_face = [0.01, 0.01, 0.01, 0.3, 0, 0, 0, 0] }").len(), 1);
    for width in ["0.024", "0.05", "{ per_face = [0.01, 0.01, 0.01, 0.03, 0, 0, 0, 0] }"] {
        assert_eq!(warnings(width), Vec::<String>::new(), "{width}");
    }
    for scene in ["w-4-squeeze", "w-4-ball"] {
        for width in ["9e-3", "0.024"] {
            let loaded = muslin_io::load(scene, &[format!("hysteresis={width}")]).unwrap();
            assert_eq!(loaded.warnings, Vec::<String>::new(), "{scene}, {width}");
        }
    }
}
