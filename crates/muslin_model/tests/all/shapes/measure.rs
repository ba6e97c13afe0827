//! Independent measures of meshes: topology, volume, angles and exact distances of triangles.

use glam::{DVec2, DVec3};
use muslin_model::Mesh;
use std::collections::HashMap;

/// The corners of a triangle.
pub fn corners(mesh: &Mesh, triangle: usize) -> [DVec3; 3] {
    mesh.triangles[triangle].map(|v| mesh.positions[v as usize])
}

/// How often each directed side occurs.
fn sides(mesh: &Mesh) -> HashMap<(u32, u32), usize> {
    let mut sides = HashMap::new();
    for tri in &mesh.triangles {
        for k in 0..3 {
            *sides.entry((tri[k], tri[(k + 1) % 3])).or_insert(0) += 1;
        }
    }
    sides
}

/// Every side occurs once in each direction: a closed, consistently wound surface.
pub fn is_closed(mesh: &Mesh) -> bool {
    let sides = sides(mesh);
    sides.iter().all(|(&(a, b), &count)| count == 1 && sides.get(&(b, a)) == Some(&1))
}

/// Sides without a partner.
pub fn boundary_sides(mesh: &Mesh) -> usize {
    let sides = sides(mesh);
    sides.keys().filter(|&&(a, b)| !sides.contains_key(&(b, a))).count()
}

/// Vertices − edges + triangles.
pub fn euler_characteristic(mesh: &Mesh) -> i64 {
    let directed = sides(mesh).len() as i64;
    let edges = (directed + boundary_sides(mesh) as i64) / 2;
    mesh.positions.len() as i64 - edges + mesh.triangles.len() as i64
}

/// Enclosed volume by the divergence theorem, positive for outward triangles [m³].
pub fn volume(mesh: &Mesh) -> f64 {
    (0..mesh.triangles.len()).map(|t| corners(mesh, t)).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}

/// Surface in space [m²].
pub fn area(mesh: &Mesh) -> f64 {
    (0..mesh.triangles.len()).map(|t| corners(mesh, t)).map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum()
}

/// Smallest angle of all triangles [degrees].
pub fn smallest_angle(mesh: &Mesh) -> f64 {
    (0..mesh.triangles.len())
        .map(|t| corners(mesh, t))
        .flat_map(|p| (0..3).map(move |k| (p[(k + 1) % 3] - p[k]).angle_between(p[(k + 2) % 3] - p[k])))
        .fold(f64::INFINITY, f64::min)
        .to_degrees()
}

/// Closest point of a segment.
fn on_segment(p: DVec3, a: DVec3, b: DVec3) -> DVec3 {
    a + (b - a) * ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0)
}

/// Distance of a point to a triangle: to its plane if the foot is inside, else to its sides.
pub fn point_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a).normalize();
    let inside = [(a, b), (b, c), (c, a)].iter().all(|&(s, e)| (e - s).cross(p - s).dot(normal) >= 0.0);
    if inside {
        return (p - a).dot(normal).abs();
    }
    [(a, b), (b, c), (c, a)].iter().map(|&(s, e)| p.distance(on_segment(p, s, e))).fold(f64::INFINITY, f64::min)
}

/// Distance of two segments: the feet of their common normal if both are inside, else ends to segments.
fn segment_segment(a: [DVec3; 2], b: [DVec3; 2]) -> f64 {
    let ends = [
        a[0].distance(on_segment(a[0], b[0], b[1])),
        a[1].distance(on_segment(a[1], b[0], b[1])),
        b[0].distance(on_segment(b[0], a[0], a[1])),
        b[1].distance(on_segment(b[1], a[0], a[1])),
    ];
    let ends = ends.into_iter().fold(f64::INFINITY, f64::min);
    let (u, v, w) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
    let normal = u.cross(v);
    if normal.length() < 1e-12 * u.length() * v.length() {
        return ends;
    }
    let s = w.cross(v).dot(normal) / normal.length_squared();
    let t = w.cross(u).dot(normal) / normal.length_squared();
    let inside = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
    if inside { w.dot(normal).abs() / normal.length() } else { ends }
}

/// Distance of a segment to a triangle that it does not pierce.
pub fn segment_triangle(ends: [DVec3; 2], tri: [DVec3; 3]) -> f64 {
    let sides = (0..3).map(|k| segment_segment(ends, [tri[k], tri[(k + 1) % 3]]));
    sides.chain(ends.map(|p| point_triangle(p, tri))).fold(f64::INFINITY, f64::min)
}

/// Distance of a triangle to the circle of this radius around the z axis. In each half plane through the
/// axis the triangle's section is a segment, whose distance to the circle's point is exact; the angle is
/// searched by a scan and a golden section.
pub fn circle_triangle(radius: f64, tri: [DVec3; 3]) -> f64 {
    let middle = (tri[0] + tri[1] + tri[2]).truncate();
    let turned = |p: DVec3| middle.normalize().angle_to(p.truncate());
    let low = tri.iter().map(|&p| turned(p)).fold(f64::INFINITY, f64::min);
    let high = tri.iter().map(|&p| turned(p)).fold(f64::NEG_INFINITY, f64::max);
    let distance = |angle: f64| {
        let across = middle.normalize().rotate(DVec2::from_angle(angle));
        let side = |p: DVec3| across.perp_dot(p.truncate());
        let mut section = Vec::new();
        for k in 0..3 {
            let (a, b) = (tri[k], tri[(k + 1) % 3]);
            let (sa, sb) = (side(a), side(b));
            if (sa <= 0.0 && sb >= 0.0 || sa >= 0.0 && sb <= 0.0) && sa != sb {
                let p = a + (b - a) * (sa / (sa - sb));
                section.push(DVec3::new(p.truncate().dot(across), p.z, 0.0));
            }
        }
        let mut least = f64::INFINITY;
        for &a in &section {
            for &b in &section {
                let centre = DVec3::new(radius, 0.0, 0.0);
                least = least.min(if a == b { a.distance(centre) } else { centre.distance(on_segment(centre, a, b)) });
            }
        }
        least
    };
    const SCAN: usize = 32;
    let at = |k: f64| low + (high - low) * (k / SCAN as f64).clamp(0.0, 1.0);
    let best = (0..=SCAN).min_by(|&j, &k| distance(at(j as f64)).total_cmp(&distance(at(k as f64)))).unwrap_or(0);
    let (mut a, mut b) = (at(best as f64 - 1.0), at(best as f64 + 1.0));
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let mut least = distance(at(best as f64));
    for _ in 0..60 {
        let (c, d) = (b - golden * (b - a), a + golden * (b - a));
        let (fc, fd) = (distance(c), distance(d));
        least = least.min(fc).min(fd);
        if fc < fd { b = d } else { a = c }
    }
    // At the corners a section may round to nothing; they are exact by themselves.
    tri.iter().map(|p| DVec2::new(p.truncate().length() - radius, p.z).length()).fold(least, f64::min)
}
