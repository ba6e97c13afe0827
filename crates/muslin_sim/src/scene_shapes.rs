//! The shapes that a scene may have.

use glam::{DVec2, DVec3};
use muslin_model::shapes::{Strand, Triangulation};

/// Shapes of cloth.
#[derive(Clone, Debug, PartialEq)]
pub enum ClothShape {
    /// A rectangle in the xy plane.
    Grid {
        /// Vertices along x and y.
        vertices: [usize; 2],
        /// Side lengths [m].
        size: DVec2,
        /// How cells are cut.
        triangulation: Triangulation,
    },
    /// A disc in the xy plane.
    Disc {
        /// Radius [m].
        radius: f64,
        /// Rings of triangles between centre and rim.
        rings: usize,
    },
    /// An open tube around the z axis.
    Tube {
        /// Radius [m].
        radius: f64,
        /// Height [m].
        height: f64,
        /// Vertices around and along.
        vertices: [usize; 2],
    },
    /// A ribbon of a loose reef knot around the origin.
    ReefStrand {
        /// Which of the two.
        strand: Strand,
        /// Half of the distance between the legs of the first [m].
        size: f64,
        /// Width of the ribbon [m].
        width: f64,
        /// Vertices along and across.
        vertices: [usize; 2],
    },
    /// A closed and hollow rabbit that sits on z = 0.
    Rabbit {
        /// Height with its ears [m].
        height: f64,
        /// Cells of its grid along the height.
        cells: usize,
    },
    /// A mesh given as data (from a file or from a program).
    Mesh(muslin_model::Mesh),
}

/// Shapes of obstacles. Curved ones are meshes that circumscribe the true surface.
#[derive(Clone, Debug, PartialEq)]
pub enum ObstacleShape {
    /// A sphere around the origin.
    Sphere {
        /// Radius [m].
        radius: f64,
        /// Subdivisions of the icosahedron.
        subdivisions: u32,
    },
    /// A box around the origin.
    Box {
        /// Side lengths [m].
        size: DVec3,
    },
    /// A torus around the z axis.
    Torus {
        /// Radius of the centre line [m].
        radius: f64,
        /// Radius of the tube [m].
        tube: f64,
        /// Segments around the axis and around the tube.
        segments: [usize; 2],
    },
    /// A capsule along the z axis.
    Capsule {
        /// Radius [m].
        radius: f64,
        /// Length of the straight part [m].
        length: f64,
        /// Segments around.
        segments: usize,
    },
    /// A square piece of the plane z = 0.
    Plane {
        /// Side length [m].
        size: f64,
    },
    /// An open funnel around the z axis: a cone frustum on a pipe.
    Funnel {
        /// Radius at the top [m].
        top_radius: f64,
        /// Radius of the pipe [m].
        pipe_radius: f64,
        /// Height of the cone [m].
        cone_height: f64,
        /// Length of the pipe [m].
        pipe_length: f64,
        /// Segments around.
        segments: usize,
    },
    /// A human-shaped figure that stands on z = 0.
    Figure {
        /// Height [m].
        height: f64,
        /// Cells of its grid along the height.
        cells: usize,
    },
    /// A mesh given as data.
    Mesh(muslin_model::Mesh),
}
