//! Meshes in motion, kind and unkind.

use crate::random::Random;
use glam::DVec3;
use muslin_collision::Surface;

/// A mesh at both ends of a step.
pub struct Scene {
    pub surface: Surface,
    pub start: Vec<DVec3>,
    pub end: Vec<DVec3>,
}

impl Scene {
    pub fn new(triangles: &[[u32; 3]], start: Vec<DVec3>, end: Vec<DVec3>) -> Self {
        Scene { surface: Surface::new(start.len(), triangles).unwrap(), start, end }
    }

    /// The same scene, scaled.
    pub fn scaled(mut self, factor: f64) -> Self {
        self.start.iter_mut().chain(&mut self.end).for_each(|p| *p *= factor);
        self
    }

    /// The same scene, moved.
    pub fn moved(mut self, by: DVec3) -> Self {
        self.start.iter_mut().chain(&mut self.end).for_each(|p| *p += by);
        self
    }
}

/// Triangles of the given size anywhere in the unit cube, each moving on its own; some share vertices.
pub fn soup(triangles: usize, size: f64, motion: f64, random: &mut Random) -> Scene {
    let (mut start, mut end, mut corners) = (Vec::new(), Vec::new(), Vec::<[u32; 3]>::new());
    for _ in 0..triangles {
        let (middle, drift) = (random.point(), random.point() * motion);
        // Every third triangle takes over a vertex of an earlier one.
        let shared = (!corners.is_empty() && random.below(3) == 0).then(|| random.below(start.len()) as u32);
        let first = start.len() as u32;
        let new = 3 - shared.iter().count() as u32;
        for _ in 0..new {
            let p = shared.map_or(middle, |v| start[v as usize]) + random.point() * size;
            start.push(p);
            end.push(p + drift + random.point() * (0.2 * motion));
        }
        corners.push(match shared {
            Some(v) => [v, first, first + 1],
            None => [first, first + 1, first + 2],
        });
    }
    Scene::new(&corners, start, end)
}

/// Triangles of a grid of n × n squares.
pub fn grid_triangles(n: u32) -> Vec<[u32; 3]> {
    let at = |i: u32, j: u32| i * (n + 1) + j;
    let cells = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    cells
        .flat_map(|(i, j)| [[at(i, j), at(i + 1, j), at(i, j + 1)], [at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]])
        .collect()
}

/// A sheet given by a function of two parameters in [0, 1] at both ends of the step.
pub fn sheet(n: u32, place: impl Fn(f64, f64, f64) -> DVec3) -> Scene {
    let at = |time: f64| {
        let points =
            (0..=n).flat_map(|i| (0..=n).map(move |j| (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n))));
        points.map(|(u, v)| place(u, v, time)).collect::<Vec<_>>()
    };
    Scene::new(&grid_triangles(n), at(0.0), at(1.0))
}

/// A flat sheet at rest: all boxes have no height.
pub fn flat_sheet(n: u32) -> Scene {
    sheet(n, |u, v, _| DVec3::new(u, v, 0.0))
}

/// A crumpled sheet that moves.
pub fn crumpled_sheet(n: u32, random: &mut Random) -> Scene {
    let waves: Vec<(DVec3, f64, f64, f64)> =
        (0..6).map(|_| (random.point(), 15.0 * random.signed(), 15.0 * random.signed(), random.unit())).collect();
    sheet(n, |u, v, t| {
        let flat = DVec3::new(0.3 * u, 0.3 * v, 0.0);
        waves.iter().fold(flat, |p, (d, a, b, c)| p + *d * (0.1 * (a * u + b * v + 6.0 * c + 0.3 * t).sin()))
    })
}

/// A strip of two halves whose fold closes during the step until the halves lie on each other.
pub fn folding_hinge(n: u32) -> Scene {
    sheet(n, |u, v, t| {
        let angle = if u < 0.5 { 0.0 } else { t * std::f64::consts::PI };
        let arm = u - 0.5;
        DVec3::new(arm * angle.cos(), v, arm.abs() * angle.sin())
    })
}

/// Needles: triangles a thousand times longer than wide, in all directions, moving.
pub fn needles(count: usize, random: &mut Random) -> Scene {
    let (mut start, mut end) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let (p, along, across) = (random.point(), random.point() * 0.5, random.point() * 5e-4);
        start.extend([p, p + along, p + across]);
        let drift = random.point() * 0.05;
        end.extend([p + drift, p + along + drift, p + across]);
    }
    let triangles: Vec<[u32; 3]> = (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Scene::new(&triangles, start, end)
}

/// Many triangles at one and the same place, and some of no area at all.
pub fn coincident(count: usize) -> Scene {
    let mut start = Vec::new();
    for t in 0..count {
        let corner = |x, y| DVec3::new(x, y, 0.25);
        match t % 4 {
            0 | 1 => start.extend([corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0)]),
            2 => start.extend([corner(0.5, 0.5); 3]),
            _ => start.extend([corner(0.0, 0.0), corner(0.5, 0.5), corner(1.0, 1.0)]),
        }
    }
    let triangles: Vec<[u32; 3]> = (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Scene::new(&triangles, start.clone(), start)
}

/// Coplanar triangles that overlap, sliding in their plane.
pub fn coplanar(count: usize, random: &mut Random) -> Scene {
    let mut scene = soup(count, 0.15, 0.1, random);
    scene.start.iter_mut().chain(&mut scene.end).for_each(|p| p.y = -0.5);
    scene
}

/// One triangle as large as the scene among many small ones.
pub fn one_huge(small: usize, random: &mut Random) -> Scene {
    let soup = soup(small, 0.01, 0.01, random);
    let mut triangles = soup.surface.triangles().to_vec();
    let (mut start, mut end) = (soup.start, soup.end);
    let first = start.len() as u32;
    triangles.push([first, first + 1, first + 2]);
    for p in [DVec3::new(-1.0, -1.0, -1.0), DVec3::new(1.0, -0.9, 0.2), DVec3::new(0.1, 1.0, 1.0)] {
        start.push(p);
        end.push(p * 1.02);
    }
    Scene::new(&triangles, start, end)
}

/// Triangles from large to small, three decades, most of them small; some move as far as they are long.
pub fn uneven(count: usize, random: &mut Random) -> Scene {
    let (mut start, mut end) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let size = 10f64.powf(-0.3 - 2.7 * random.unit().sqrt());
        let (p, drift) = (random.point() * 0.5, random.point() * size);
        for _ in 0..3 {
            let q = p + random.point() * size;
            start.push(q);
            end.push(q + drift);
        }
    }
    let triangles: Vec<[u32; 3]> = (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Scene::new(&triangles, start, end)
}

/// A sheet, and points of no triangle that fall through it.
pub fn rain_on_a_sheet(n: u32, drops: usize, random: &mut Random) -> Scene {
    let sheet = flat_sheet(n);
    let (mut start, mut end) = (sheet.start, sheet.end);
    for _ in 0..drops {
        let p = DVec3::new(random.unit(), random.unit(), 0.1 * random.signed());
        start.push(p);
        end.push(p - DVec3::Z * (0.2 * random.unit()));
    }
    Scene::new(sheet.surface.triangles(), start, end)
}

/// All of the above at moderate size, with their names.
pub fn all() -> Vec<(&'static str, Scene)> {
    let random = &mut Random(2014);
    vec![
        ("a sparse soup", soup(300, 0.05, 0.02, random)),
        ("a dense soup", soup(200, 0.4, 0.2, random)),
        ("a fast soup", soup(300, 0.03, 1.0, random)),
        ("a flat sheet", flat_sheet(16)),
        ("a crumpled sheet", crumpled_sheet(16, random)),
        ("a fold at a hinge", folding_hinge(10)),
        ("needles", needles(250, random)),
        ("coincident triangles", coincident(60)),
        ("coplanar triangles", coplanar(200, random)),
        ("one huge triangle among many", one_huge(1500, random)),
        ("triangles of all sizes", uneven(400, random)),
        ("loose points on a sheet", rain_on_a_sheet(10, 200, random)),
        ("one triangle", soup(1, 0.3, 0.1, random)),
        ("two triangles", soup(2, 1.0, 0.5, random)),
        ("no triangle", Scene::new(&[], vec![DVec3::ONE; 3], vec![DVec3::ZERO; 3])),
        ("nothing", Scene::new(&[], vec![], vec![])),
    ]
}
