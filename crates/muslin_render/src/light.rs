//! The light in the studio and what surfaces make of it. All colours are linear.

use crate::{
    colour_map,
    depth_map::{DepthMap, Towards},
    framing::View,
    pattern,
    raster::Screen,
    renderer::Paint,
    sky,
    srgb::linear_from_hex,
    stage::{GROUND_REACH, Stage, Surface},
};
use glam::{Quat, Vec2, Vec3};
use std::sync::LazyLock;

/// Colours of cloths in their order, front and back.
const CLOTHS: [[u32; 2]; 6] = [
    [0x3674a6, 0xcdb997],
    [0xb8453c, 0xd0bea0],
    [0xd39c2f, 0x9db0a0],
    [0x4f8a5e, 0xcfc29c],
    [0x7b5684, 0xcbb5a6],
    [0x2c9191, 0xd1b79c],
];

const OBSTACLE: u32 = 0xa9a7a3;
const GROUND: u32 = 0xcfcac2;

/// Background at the top and at the bottom.
const BACKGROUND: [u32; 2] = [0xf6f5f2, 0xd6dae0];

static CLOTH_COLOURS: LazyLock<[[Vec3; 2]; 6]> = LazyLock::new(|| CLOTHS.map(|pair| pair.map(linear_from_hex)));
static BACKGROUND_COLOURS: LazyLock<[Vec3; 2]> = LazyLock::new(|| BACKGROUND.map(linear_from_hex));

/// Strength and colour of the lamps and of the sky, for a white surface [-].
const KEY: Vec3 = Vec3::new(1.02, 0.96, 0.88);
const FILL: Vec3 = Vec3::new(0.10, 0.12, 0.15);
const RIM: Vec3 = Vec3::new(0.26, 0.27, 0.30);
const SKY: Vec3 = Vec3::new(0.46, 0.48, 0.51);

/// Turn to the left of the view and height of the lamps [degrees].
const KEY_AT: [f32; 2] = [40.0, 43.0];
const FILL_AT: [f32; 2] = [-60.0, 15.0];
const RIM_AT: [f32; 2] = [-150.0, 35.0];

/// Part of the key light that passes through cloth [-].
const TRANSMISSION: f32 = 0.14;

/// Strength of the bright edge that the fibres of cloth show at grazing angles [-].
const SHEEN: f32 = 0.16;

/// Texels along a side of the key light's map.
const SHADOW_SIZE: usize = 1024;

/// Looks into the shadow map per pixel, and the radius of the disc that they cover, in radii of what is shown.
const SHADOW_LOOKS: usize = 14;
const SHADOW_SOFTNESS: f32 = 0.014;

/// Light that reaches a stage.
pub(crate) struct Light<'a> {
    stage: &'a Stage,
    screen: &'a Screen,
    ambient: Vec<[f32; 2]>,
    shadow: DepthMap,
    key: Vec3,
    fill: Vec3,
    rim: Vec3,
    /// Places in the shadow map around a point, in texels.
    spread: [Vec3; SHADOW_LOOKS],
    open_ground: f32,
    scalars: bool,
}

/// Where a picture's ray meets a triangle.
pub(crate) struct Hit {
    pub triangle: usize,
    pub front: bool,
    pub barycentric: Vec3,
    /// Barycentric coordinates one pixel to the right and one below.
    pub beside: [Vec3; 2],
}

impl<'a> Light<'a> {
    pub(crate) fn new(stage: &'a Stage, screen: &'a Screen, view: &View, paint: &Paint) -> Self {
        let towards = {
            let back = (view.camera.position - view.camera.target).as_vec3();
            let flat = Vec3::new(back.x, back.y, 0.0);
            flat.try_normalize().unwrap_or(Vec3::NEG_Y)
        };
        let lamp = |[turn, height]: [f32; 2]| {
            let around = Quat::from_rotation_z(-turn.to_radians()) * towards;
            let (sin, cos) = height.to_radians().sin_cos();
            (around * cos + Vec3::Z * sin).normalize()
        };
        let key = lamp(KEY_AT);
        // A sunflower spiral covers the disc evenly.
        let spread = std::array::from_fn(|k| {
            let radius = 0.5 * SHADOW_SIZE as f32 * SHADOW_SOFTNESS * ((k as f32 + 0.5) / SHADOW_LOOKS as f32).sqrt();
            let (sin, cos) = (sky::GOLDEN_ANGLE as f32 * k as f32).sin_cos();
            Vec3::new(radius * cos, radius * sin, 0.0)
        });
        Light {
            stage,
            screen,
            ambient: sky::ambient(stage),
            shadow: DepthMap::new(key, SHADOW_SIZE, &stage.positions, &stage.triangles),
            key,
            fill: lamp(FILL_AT),
            rim: lamp(RIM_AT),
            spread,
            open_ground: sky::open(Vec3::Z),
            scalars: matches!(paint, Paint::Scalars { .. }),
        }
    }

    /// Part of the key light that reaches a point with a normal towards the light [-].
    fn lit(&self, p: Vec3, normal: Vec3) -> f32 {
        // The whole disc must clear the point's own surface, also where that is steep to the light.
        let lift = SHADOW_SOFTNESS + 1.5 * self.shadow.texel_width();
        let slack = 0.5 * lift;
        let from = self.shadow.texel(p + normal * lift);
        let looks = self.spread.iter().map(|&offset| self.shadow.free(from + offset, slack, Towards::Plus));
        looks.sum::<f32>() / SHADOW_LOOKS as f32
    }

    /// Colour of a point on a triangle, 0 to 1; `background` is what is behind.
    pub(crate) fn shade(&self, hit: &Hit, background: Vec3) -> Vec3 {
        let tri = self.stage.triangles[hit.triangle];
        let mix = |values: [Vec3; 3]| {
            values[0] * hit.barycentric.x + values[1] * hit.barycentric.y + values[2] * hit.barycentric.z
        };
        let p = mix(tri.map(|v| self.stage.positions[v as usize]));
        let side = !hit.front as usize;
        let ambient = Vec3::from_array(tri.map(|v| self.ambient[v as usize][side])).dot(hit.barycentric);
        let view = (self.screen.eye.as_vec3() - p).normalize_or_zero();
        let mut normal = mix(tri.map(|v| self.stage.normals[v as usize])) * if hit.front { 1.0 } else { -1.0 };
        // A smooth normal may look away at an outline; what is seen never does.
        let away = normal.dot(view).min(0.0);
        normal = (normal - view * away).normalize_or(view);
        let cosine = normal.dot(self.key);
        let shadow = if cosine > 0.0 { self.lit(p, normal) } else { 0.0 };
        let key = cosine.max(0.0) * shadow;
        let surface = self.stage.surfaces[hit.triangle];
        if surface == Surface::Ground {
            return self.ground(p, normal, ambient, key, background);
        }
        let cloth = matches!(surface, Surface::Cloth(_));
        let mut light = SKY * ambient + KEY * key + FILL * normal.dot(self.fill).max(0.0) * ambient;
        // Grazing light from behind draws the outline.
        let grazing = (1.0 - normal.dot(view).clamp(0.0, 1.0)).powi(3);
        let rim = RIM * normal.dot(self.rim).max(0.0) * (RIM_EVERYWHERE + grazing) * ambient;
        light += rim;
        if cloth {
            if cosine < 0.0 {
                light += KEY * (TRANSMISSION * -cosine * self.lit(p, -normal));
            }
            light += SKY * (SHEEN * grazing * ambient);
        }
        let albedo = match surface {
            Surface::Cloth(k) => self.cloth(hit, k as usize, side),
            Surface::Obstacle | Surface::Ground => linear_from_hex(OBSTACLE),
        };
        if self.scalars && cloth {
            // Numbers must be readable: half of the shading is enough to see the shape.
            light = light.lerp(Vec3::ONE, EVEN_LIGHT);
        }
        expose(albedo * light)
    }

    fn cloth(&self, hit: &Hit, number: usize, side: usize) -> Vec3 {
        if self.scalars {
            let tri = self.stage.triangles[hit.triangle];
            let value = Vec3::from_array(tri.map(|v| self.stage.scalars[v as usize])).dot(hit.barycentric);
            return colour_map::colour(value);
        }
        let uv = self.stage.uv[hit.triangle];
        let at = |b: Vec3| uv[0] * b.x + uv[1] * b.y + uv[2] * b.z;
        let place = at(hit.barycentric);
        let [right, below] = hit.beside.map(|b| (at(b) - place).abs());
        let depth = pattern::gingham(place, (right + below).min(Vec2::splat(FAR_FOOTPRINT)));
        let colour = CLOTH_COLOURS[number % CLOTH_COLOURS.len()][side];
        colour * (1.0 + PATTERN_DEPTH * (1.0 - 2.0 * depth))
    }

    /// The ground is the background with shadows and a tint, and fades out: it has no visible end.
    fn ground(&self, p: Vec3, normal: Vec3, ambient: f32, key: f32, background: Vec3) -> Vec3 {
        let upwards = normal.dot(self.key).max(0.0);
        let open = SKY * self.open_ground + KEY * upwards;
        let light = SKY * ambient + KEY * key;
        let distance = (p - normal * p.dot(normal)).length();
        let fade = 1.0 - smooth(GROUND_FULL, GROUND_REACH, distance);
        let tint = background.lerp(linear_from_hex(GROUND), GROUND_TINT * fade);
        (tint * light / open).lerp(background, 1.0 - fade)
    }
}

/// Part of the rim light that also reaches what faces the camera [-].
const RIM_EVERYWHERE: f32 = 0.35;

/// Part of the light on coloured numbers that is the same everywhere [-].
const EVEN_LIGHT: f32 = 0.5;

/// How much of its own colour the ground has over the background's [-].
const GROUND_TINT: f32 = 0.45;

/// Contrast of the pattern [-].
const PATTERN_DEPTH: f32 = 0.22;

/// Stripes per pixel beyond which the pattern is even anyway.
const FAR_FOOTPRINT: f32 = 64.0;

/// The ground begins to fade at this distance, in radii.
const GROUND_FULL: f32 = 1.1;

fn smooth(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Background at a height in the picture, 0 at the top and 1 at the bottom.
pub(crate) fn background(height: f32) -> Vec3 {
    let [top, bottom] = *BACKGROUND_COLOURS;
    top.lerp(bottom, smooth(0.0, 1.0, height))
}

/// Rolls highlights off below 1, so that they keep their colour; what is below the knee stays as it is.
fn expose(colour: Vec3) -> Vec3 {
    const KNEE: f32 = 0.8;
    colour.map(|c| {
        let over = (c - KNEE) / (1.0 - KNEE);
        if over > 0.0 { KNEE + (1.0 - KNEE) * (over / (1.0 + over)) } else { c }
    })
}
