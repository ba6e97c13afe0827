//! A mesh file in the order of a cast: cloths before obstacles, and vertices that a seam repeats joined again.

use crate::meshes::{FileMesh, Part};
use muslin_model::BodyKind;

/// The file's vertex behind each vertex of the arranged mesh; `None` if nothing had to change.
pub type Order = Option<Vec<u32>>;

/// Puts the parts that the file calls obstacles behind all others.
pub fn arrange(file: FileMesh) -> (FileMesh, Order) {
    let late = |part: &Part| part.kind == Some(BodyKind::Obstacle);
    let in_order = file.parts.is_sorted_by_key(late);
    let covers = file.parts.iter().map(|p| p.triangles.len()).sum::<usize>() == file.triangles.len();
    if (in_order || !covers) && file.repeats.is_empty() {
        return (file, None);
    }
    let mut stands_for: Vec<u32> = (0..file.positions.len() as u32).collect();
    file.repeats.iter().for_each(|&[vertex, earlier]| stands_for[vertex as usize] = earlier);
    let mut parts: Vec<&Part> = file.parts.iter().collect();
    parts.sort_by_key(|part| late(part));
    let triangles: Vec<usize> = match covers {
        true => parts.iter().flat_map(|part| part.triangles.clone()).collect(),
        false => (0..file.triangles.len()).collect(),
    };
    // Vertices follow the parts that use them first, each part in the file's order; lonely ones come last.
    let (mut number, mut order) = (vec![u32::MAX; stands_for.len()], Vec::new());
    let mut place = |vertices: Vec<u32>, order: &mut Vec<u32>| {
        for v in vertices.into_iter().map(|v| stands_for[v as usize]) {
            if number[v as usize] == u32::MAX {
                number[v as usize] = order.len() as u32;
                order.push(v);
            }
        }
    };
    for part in parts {
        let mut used: Vec<u32> = file.triangles[part.triangles.clone()].as_flattened().to_vec();
        used.sort_unstable();
        used.dedup();
        place(used, &mut order);
    }
    place((0..file.positions.len() as u32).collect(), &mut order);
    let mut first = 0;
    let mut sorted: Vec<Part> = file.parts.clone();
    sorted.sort_by_key(late);
    for part in &mut sorted {
        part.triangles = first..first + part.triangles.len();
        first = part.triangles.end;
    }
    let arranged = FileMesh {
        positions: order.iter().map(|&v| file.positions[v as usize]).collect(),
        triangles: triangles
            .iter()
            .map(|&t| file.triangles[t].map(|v| number[stands_for[v as usize] as usize]))
            .collect(),
        uv: file.uv.map(|mut uv| {
            uv.triangles = triangles.iter().map(|&t| uv.triangles[t]).collect();
            uv
        }),
        parts: if covers { sorted } else { file.parts },
        clips: file.clips,
        metres_per_unit: file.metres_per_unit,
        up: file.up,
        ..FileMesh::default()
    };
    (arranged, Some(order))
}
