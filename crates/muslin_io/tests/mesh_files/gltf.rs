//! glTF: closed forms on documents made by hand, and public figures against an independent evaluation.

use crate::{fault, mesh, shared_data::shared};
use glam::DVec3;
use muslin_io::meshes::{FaultKind, UpAxis, read};

/// A GLB of a JSON document and a binary chunk.
fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF".to_vec();
    let total = 12 + 8 + json.len() + 8 + binary.len();
    [2, total as u32, json.len() as u32, 0x4e4f_534a].iter().for_each(|w| bytes.extend(w.to_le_bytes()));
    bytes.extend(&json);
    [binary.len() as u32, 0x004e_4942].iter().for_each(|w| bytes.extend(w.to_le_bytes()));
    bytes.extend(binary);
    bytes
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A triangle; morph target 0 lifts it by z = 2; a rotation by 90° about z in 1 s; weights from 0 to 1 in 1 s.
fn moving_triangle() -> (String, Vec<u8>) {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let data = [
        floats(&[0., 0., 0., 1., 0., 0., 0., 1., 0.]),
        floats(&[0., 0., 2., 0., 0., 2., 0., 0., 2.]),
        floats(&[0., 1.]),
        floats(&[0., 0., 0., 1., 0., 0., half, half]),
        floats(&[0., 1.]),
    ]
    .concat();
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"children":[1],"translation":[10,0,0]}},{{"name":"flap","mesh":0,"scale":[2,2,2]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"targets":[{{"POSITION":1}}]}}]}}],
        "animations":[{{"name":"wave","samplers":[{{"input":2,"output":3}},{{"input":2,"output":4}}],
            "channels":[{{"sampler":0,"target":{{"node":1,"path":"rotation"}}}},{{"sampler":1,"target":{{"node":1,"path":"weights"}}}}]}}],
        "accessors":[
            {{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}},
            {{"bufferView":0,"byteOffset":36,"componentType":5126,"count":3,"type":"VEC3"}},
            {{"bufferView":0,"byteOffset":72,"componentType":5126,"count":2,"type":"SCALAR"}},
            {{"bufferView":0,"byteOffset":80,"componentType":5126,"count":2,"type":"VEC4"}},
            {{"bufferView":0,"byteOffset":112,"componentType":5126,"count":2,"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":{0}}}],"buffers":[{{"byteLength":{0}}}]}}"#,
        data.len()
    );
    (json, data)
}

#[test]
fn nodes_morphs_and_rotations_follow_their_closed_form() {
    let (json, data) = moving_triangle();
    let m = mesh("a.glb", &glb(&json, &data));
    assert_eq!((m.metres_per_unit, m.up), (Some(1.0), Some(UpAxis::Y)));
    assert_eq!((m.triangles.len(), m.parts[0].name.as_str()), (1, "flap"));
    assert_eq!(m.positions[1], DVec3::new(12.0, 0.0, 0.0));
    let clip = &m.clips[0];
    assert_eq!((clip.name.as_str(), clip.deformation.duration()), ("wave", 1.0));
    let mut positions = [DVec3::ZERO; 3];
    for time in [0.0, 0.125, 0.5, 0.9, 1.0, 7.0] {
        clip.deformation.evaluate(time, &mut positions);
        let (s, angle) = (f64::min(time, 1.0), f64::min(time, 1.0) * std::f64::consts::FRAC_PI_2);
        let expected = DVec3::new(10.0 + 2.0 * angle.cos(), 2.0 * angle.sin(), 2.0 * 2.0 * s);
        // Single-precision quaternions of the file.
        assert!((positions[1] - expected).length() < 1e-6, "{time}: {} {expected}", positions[1]);
    }
    clip.deformation.select(&[2, 1]).evaluate(1.0, &mut positions[..2]);
    assert!((positions[0] - DVec3::new(8.0, 0.0, 4.0)).length() < 1e-6, "{}", positions[0]);
}

#[test]
fn skinned_figures_agree_with_an_independent_evaluation() {
    // Printed by `xtask/foreign/open_figures.py --reference FILE CLIP TIME`, which evaluates the specification's
    // equations in NumPy: first, middle and last vertex, and the sum of all absolute coordinates.
    type Case = (&'static str, usize, f64, [[f64; 3]; 3], f64);
    let cases: [Case; 3] = [
        (
            "gltf/CesiumMan.glb",
            0,
            0.7,
            [
                [0.015441140469108829, 0.9349823684731177, 0.10521702620485106],
                [0.13081050541648315, 1.3999886365515597, 0.04990732414576152],
                [0.008631184298418637, 1.4041222099542345, -0.09241460353140998],
            ],
            4169.0526025936415,
        ),
        (
            "gltf/RiggedFigure.glb",
            0,
            0.33,
            [
                [-0.10163179074349335, 1.122472470050588, -0.09201387829328012],
                [0.03940470240164423, 0.10252714636487276, -0.04171080314352295],
                [-0.05838109163748321, 5.136944608421967e-07, 0.17790136466958956],
            ],
            344.46540358683524,
        ),
        (
            "makehuman/makehuman_body_cmu.glb",
            1,
            3.21,
            [
                [-0.23635411479939095, 1.4031403879633675, 0.366440024670305],
                [-0.2406972039550996, 0.426222107900848, 0.08065988217648731],
                [-0.1782738358982292, 1.3863128778926808, 0.4161423465886527],
            ],
            20128.47538051344,
        ),
    ];
    for (file, clip, time, expected, sum) in cases {
        let Some(path) = shared(&format!("bodies/{file}")) else { return };
        let m = read(path).unwrap_or_else(|fault| panic!("{fault}"));
        let n = m.positions.len();
        let mut positions = vec![DVec3::ZERO; n];
        m.clips[clip].deformation.evaluate(time, &mut positions);
        for (vertex, expected) in [0, n / 2, n - 1].into_iter().zip(expected) {
            let difference = (positions[vertex] - DVec3::from_array(expected)).length();
            assert!(difference < 1e-12, "{file} vertex {vertex}: {difference:e}");
        }
        let found: f64 = positions.iter().map(|p| p.abs().element_sum()).sum();
        assert!((found - sum).abs() < 1e-9 * sum, "{file}: {found} {sum}");
    }
}

#[test]
fn broken_documents_are_refused() {
    let (json, data) = moving_triangle();
    let edit = |from: &str, to: &str| {
        assert!(json.contains(from), "{from}");
        fault("a.glb", &glb(&json.replacen(from, to, 1), &data))
    };
    let cases = [
        (edit("\"count\":3", "\"count\":2000000000"), FaultKind::TooLarge),
        (edit("\"count\":3", "\"count\":4000"), FaultKind::Truncated),
        (
            edit("\"bufferView\":0,\"componentType\":5126,\"count\":3", "\"componentType\":5126,\"count\":99999999"),
            FaultKind::TooLarge,
        ),
        (edit("\"children\":[1]", "\"children\":[0]"), FaultKind::Syntax),
        (edit("\"children\":[1]", "\"children\":[9]"), FaultKind::Index),
        (edit("\"mesh\":0", "\"mesh\":7"), FaultKind::Index),
        (edit("\"POSITION\":0", "\"POSITION\":77"), FaultKind::Index),
        (edit("\"VEC4\"", "\"VEC3\""), FaultKind::Value),
        (edit("\"type\":\"VEC3\"", "\"type\":\"VEC9\""), FaultKind::Value),
        (edit("5126", "1234"), FaultKind::Unsupported),
        (edit("\"buffers\":[{\"byteLength\":", "\"buffers\":[{\"byteLength\":9"), FaultKind::Truncated),
        (edit("\"buffers\":[{", "\"buffers\":[{\"uri\":\"../../secret\","), FaultKind::Unsupported),
        (
            edit("\"scenes\"", "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"scenes\""),
            FaultKind::Unsupported,
        ),
        (edit("\"asset\"", "asset"), FaultKind::Syntax),
    ];
    for (k, (fault, kind)) in cases.into_iter().enumerate() {
        assert_eq!(fault.kind, kind, "case {k}: {fault}");
    }
    let whole = glb(&json, &data);
    for end in (0..whole.len()).step_by(7) {
        fault("a.glb", &whole[..end]);
    }
}
