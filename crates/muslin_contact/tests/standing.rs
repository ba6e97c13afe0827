//! Which contacts stand for a motion, and where they are taken: against plain geometry and brute force.

use glam::{DMat3, DVec3};
use muslin_collision::{PairKind, Query, narrow_phase::Proximity};
use muslin_contact::{Contact, Near, Neighbourhood, Normals, PairKey, Past, TARGET, Turning};
use muslin_model::Topology;

/// Gap at which contacts begin [m].
const RANGE: f64 = 5e-4;

/// Numbers in −1..1 that look random (a linear congruence, Knuth's constants).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

fn pair(kind: PairKind, [a, b]: [u32; 2], vertices: [u32; 4], time: f64) -> Near {
    Near { key: PairKey::new(kind, a, b), vertices, time, range: RANGE }
}

#[test]
fn a_vertex_that_comes_over_the_rim_of_a_face_is_held_where_it_is_nearest() {
    // Height 0.4 mm, range 0.5 mm: it comes within it 0.3 mm before the rim, along a direction 3 : 4.
    let face = [DVec3::ZERO, DVec3::new(0.02, 0.01, 0.0), DVec3::new(0.0, 0.02, 0.0)];
    let [start, end] = [-5e-3, 5e-3].map(|x| vec![DVec3::new(x, 5e-3, 4e-4), face[0], face[1], face[2]]);
    let near = pair(PairKind::VertexFace, [0, 0], [0, 1, 2, 3], 0.47);
    let first = near.contact(&start, &end, 0.47).unwrap();
    assert!((first.normal - DVec3::new(-0.6, 0.0, 0.8)).length() < 1e-12);
    let held = near.where_nearest(&start, &end).unwrap();
    assert!((held.normal - DVec3::Z).length() < 0.05 && (held.gap(&end) - 4e-4).abs() < 1e-6, "{held:?}");
}

#[test]
fn the_nearest_place_of_a_sliding_pair_is_that_of_brute_force() {
    let (mut random, mut seen, mut passed) = (Random(7), 0, 0);
    for round in 0..4000 {
        let kind = if round % 2 == 0 { PairKind::VertexFace } else { PairKind::EdgeEdge };
        let start: Vec<DVec3> = (0..4).map(|_| random.vector() * 0.01).collect();
        // One side is carried over the other: the distance of convex sides is convex in time.
        let way = random.vector() * 0.02;
        let moved = if kind == PairKind::VertexFace { 1 } else { 2 };
        let end: Vec<DVec3> = start.iter().enumerate().map(|(k, x)| if k < moved { *x + way } else { *x }).collect();
        let query = Query { start: [0, 1, 2, 3].map(|k| start[k]), end: [0, 1, 2, 3].map(|k| end[k]) };
        let distance = |time: f64| Proximity::new(kind, query.at(time)).distance;
        let samples: Vec<f64> = (0..=4000).map(|k| distance(f64::from(k) / 4000.0)).collect();
        let Some(first) = samples.iter().position(|&d| d < RANGE) else { continue };
        let time = first as f64 / 4000.0;
        let least = samples[first..].iter().copied().fold(f64::INFINITY, f64::min);
        let held = pair(kind, [0, 1], [0, 1, 2, 3], time).where_nearest(&start, &end).unwrap();
        let found = distance(held.time);
        seen += 1;
        // Not where the sides run into each other, and else as near as they come.
        assert!(found >= TARGET * RANGE * (1.0 - 1e-9) || time == held.time, "{round}: {found}");
        let meets = least < TARGET * RANGE;
        assert!(found <= if meets { RANGE } else { least + 0.05 * RANGE }, "{round}: {found} for {least}");
        passed += usize::from(!meets);
        assert!(held.time >= time && held.gap(&start) > 0.0, "{round}");
    }
    assert!(seen > 50 && passed > 20, "{seen}, of which {passed} pass each other");
}

/// A flat grid of n × n cells of 1 cm, each of two triangles, turned and shifted.
fn grid(n: u32, turn: f64, shift: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let turn = DMat3::from_rotation_z(turn);
    let at = |k: u32| DVec3::new(f64::from(k % (n + 1)), f64::from(k / (n + 1)), 0.0) * 0.01;
    let x = (0..(n + 1) * (n + 1)).map(|k| turn * (at(k) - DVec3::splat(0.005 * f64::from(n)).with_z(0.0)) + shift);
    let cells = (0..n * n).flat_map(|k| {
        let a = k / n * (n + 1) + k % n;
        [[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]
    });
    (x.collect(), cells.collect())
}

/// Two grids as one mesh, the first on top.
fn layers(turn: f64, shift: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>, usize) {
    let (mut x, mut triangles) = grid(4, turn, shift);
    let above = x.len();
    let (below, more) = grid(8, 0.0, DVec3::ZERO);
    x.extend(below);
    triangles.extend(more.iter().map(|t| t.map(|v| v + above as u32)));
    (x, triangles, above)
}

/// All pairs between two layers that are within their range.
fn pairs(x: &[DVec3], triangles: &[[u32; 3]], topology: &Topology, above: usize) -> Vec<Near> {
    let on_top = |v: u32| (v as usize) < above;
    let mut all = Vec::new();
    for v in 0..x.len() as u32 {
        for (t, face) in triangles.iter().enumerate().filter(|(_, face)| on_top(face[0]) != on_top(v)) {
            all.push(pair(PairKind::VertexFace, [v, t as u32], [v, face[0], face[1], face[2]], 0.0));
        }
    }
    for (a, one) in topology.edges.iter().enumerate().filter(|(_, edge)| on_top(edge[0])) {
        for (b, other) in topology.edges.iter().enumerate().filter(|(_, edge)| !on_top(edge[0])) {
            let vertices = [one[0], one[1], other[0], other[1]];
            all.push(pair(PairKind::EdgeEdge, [a as u32, b as u32], vertices, 0.0));
        }
    }
    all.retain(|near| near.distance(x) < RANGE);
    all
}

#[test]
fn between_flat_layers_only_contacts_square_to_them_stand_and_every_vertex_has_one() {
    let (mut random, mut leaning) = (Random(3), 0);
    for _ in 0..20 {
        let shift = DVec3::new(0.01 * random.next(), 0.01 * random.next(), 3e-4);
        let (x, triangles, above) = layers(random.next(), shift);
        let topology = Topology::new(&triangles);
        let neighbourhood = Neighbourhood::new(x.len(), &triangles, &topology);
        let near = pairs(&x, &triangles, &topology, above);
        let mut held = vec![false; above];
        for one in &near {
            let all = one.contact(&x, &x, 0.0).unwrap();
            leaning += usize::from(all.normal.z.abs() < 0.99);
            let Some(contact) = neighbourhood.standing(one, &x, &x) else { continue };
            assert!(contact.normal.z.abs() > 0.99, "{contact:?}");
            if contact.key.kind() == PairKind::VertexFace && (contact.vertices[0] as usize) < above {
                held[contact.vertices[0] as usize] = true;
            }
        }
        assert!(held.iter().all(|&held| held));
    }
    assert!(leaning > 100, "{leaning} pairs lean, which a rule that lets all pass would let pass");
}

/// A vertex, and two triangles that share an edge along y, their other corners lower or higher.
fn roof([x, z]: [f64; 2], rise: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let x = vec![
        DVec3::new(x, 5e-3, z),
        DVec3::new(0.0, 0.0, 0.0),
        DVec3::new(0.0, 0.01, 0.0),
        DVec3::new(-0.01, 0.005, rise),
        DVec3::new(0.01, 0.005, rise),
    ];
    (x, vec![[1, 2, 3], [2, 1, 4]])
}

#[test]
fn a_rim_stands_for_a_contact_where_the_surface_is_convex() {
    // The vertex is over the right side, to which the left one is nearest on the edge between them: above a ridge, and in a valley,
    // where the right side is nearer.
    for (vertex, rise, stands) in [([1e-4, 3e-4], -8e-3, true), ([3.5e-4, 2e-4], 8e-3, false)] {
        let (x, triangles) = roof(vertex, rise);
        let neighbourhood = Neighbourhood::new(x.len(), &triangles, &Topology::new(&triangles));
        let left = pair(PairKind::VertexFace, [0, 0], [0, 1, 2, 3], 0.0);
        let nearest = left.contact(&x, &x, 0.0).unwrap();
        assert_eq!(nearest.weights[3], 0.0, "on the edge");
        let found = neighbourhood.standing(&left, &x, &x).is_some();
        assert_eq!(found, stands, "{rise}");
    }
}

fn contact(near: &Near, x: &[DVec3], normal: DVec3, time: f64) -> Contact {
    Contact { normal, time, ..near.contact(x, x, 0.0).unwrap() }
}

#[test]
fn what_is_foreseen_beyond_a_contact_that_turns_the_motion_aside_is_left_out() {
    // A vertex goes through a face; then an edge at it meets an edge of that face from below.
    let x = [[0.0, 0.0, 3e-4], [0.01, 0.0, 3e-4], [-0.01, -0.01, 0.0], [0.01, -0.01, 0.0], [0.0, 0.02, 0.0]];
    let start = x.map(DVec3::from);
    let mut end = start;
    end[0].z = -2e-3;
    end[1].z = -2e-3;
    let through = contact(&pair(PairKind::VertexFace, [0, 0], [0, 2, 3, 4], 0.1), &start, DVec3::Z, 0.1);
    let edges = pair(PairKind::EdgeEdge, [0, 1], [0, 1, 3, 4], 0.6);
    let behind = contact(&edges, &start, -DVec3::Z, 0.6);
    let alike = contact(&edges, &start, DVec3::Z, 0.6);
    let earlier = contact(&edges, &start, -DVec3::Z, 0.05);
    let mut turning = Turning::default();
    turning.note([&through].into_iter(), &end);
    assert!(turning.comes_before(&behind));
    assert!(!turning.comes_before(&alike) && !turning.comes_before(&earlier) && !turning.comes_before(&through));
    // What does not stop the motion turns nothing aside.
    turning.note([&through].into_iter(), &start);
    assert!(!turning.comes_before(&behind));
}

#[test]
fn what_comes_from_behind_is_not_foreseen() {
    let (mut x, triangles, above) = layers(0.3, DVec3::new(1e-3, 2e-3, 3e-4));
    let topology = Topology::new(&triangles);
    let neighbourhood = Neighbourhood::new(x.len(), &triangles, &topology);
    let mut normals = Normals::default();
    normals.take(&triangles, &x);
    let start = x.clone();
    // Without forces the upper layer is below the lower one at the end, and comes within the range from there.
    x[..above].iter_mut().for_each(|x| *x += DVec3::new(3e-3, 0.0, -6e-4));
    let from_behind = pairs(&x, &triangles, &topology, above);
    let late: Vec<Near> = from_behind.into_iter().map(|near| Near { time: 1.0, ..near }).collect();
    assert!(late.iter().any(|near| neighbourhood.standing(near, &start, &x).is_some()));
    assert!(late.iter().all(|near| neighbourhood.foreseen(near, &start, &x, &normals, Past::New).is_none()));
    let early = pairs(&start, &triangles, &topology, above);
    assert!(early.iter().any(|near| neighbourhood.foreseen(near, &start, &start, &normals, Past::New).is_some()));
}

#[test]
fn what_pressed_is_kept_while_it_goes_slowly() {
    // Edges that cross on a ridge of 10°, held along a direction 7° outside of what lies between its sides.
    let lean = |degrees: f64| DVec3::new(f64::to_radians(degrees).sin(), 0.0, f64::to_radians(degrees).cos());
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let x = vec![
        at(-0.01, 0.0, 0.0) + lean(12.0) * 3e-4,
        at(0.01, 0.0, 0.0) + lean(12.0) * 3e-4,
        at(0.0, -0.01, 0.0),
        at(0.0, 0.01, 0.0),
        at(-0.01, 0.0, -0.01 * 5f64.to_radians().tan()),
        at(0.01, 0.0, -0.01 * 5f64.to_radians().tan()),
    ];
    let triangles = vec![[2, 3, 4], [3, 2, 5]];
    let mut topology = Topology::new(&triangles);
    let ridge = topology.edges.iter().position(|edge| *edge == [2, 3]).unwrap() as u32;
    // The edge above belongs to no triangle.
    topology.edges.push([0, 1]);
    topology.edge_triangles.push([muslin_model::topology::NONE; 2]);
    let neighbourhood = Neighbourhood::new(x.len(), &triangles, &topology);
    let edges = pair(PairKind::EdgeEdge, [topology.edges.len() as u32 - 1, ridge], [0, 1, 2, 3], 0.0);
    let holds = |degrees: f64, past: Past, way: DVec3| {
        let held = Contact { normal: lean(degrees), ..edges.contact(&x, &x, 0.0).unwrap() };
        let end: Vec<DVec3> = x.iter().enumerate().map(|(k, x)| if k < 2 { *x + way } else { *x }).collect();
        neighbourhood.holds(&held, &x, &end, &Normals::default(), past)
    };
    let [slow, fast] = [DVec3::X * 0.5 * RANGE, DVec3::X * 2.0 * RANGE];
    assert!(holds(4.0, Past::New, fast), "between the sides");
    assert!(!holds(14.0, Past::New, slow) && holds(14.0, Past::Pressed, slow), "beyond");
    assert!(!holds(14.0, Past::Pressed, fast), "beyond, and fast");
}
