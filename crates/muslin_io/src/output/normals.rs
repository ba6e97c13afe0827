//! Normals of vertices, for formats that have them.

use glam::DVec3;

/// Sets `normals` to the unit normals of all vertices: the mean of the triangles around, weighted by area. A vertex
/// without area around it gets the z axis, so that every normal is a unit vector.
pub fn vertex_normals(positions: &[DVec3], triangles: &[[u32; 3]], normals: &mut Vec<DVec3>) {
    normals.clear();
    normals.resize(positions.len(), DVec3::ZERO);
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| positions[v as usize]);
        let twice_area = (b - a).cross(c - a);
        triangle.iter().for_each(|&v| normals[v as usize] += twice_area);
    }
    normals.iter_mut().for_each(|n| *n = n.normalize_or(DVec3::Z));
}
