//! Result files, read back by other code than wrote them.

mod arrays;
mod failure;
mod motion;
mod ply;
mod recording;
mod resume;
mod textures;
