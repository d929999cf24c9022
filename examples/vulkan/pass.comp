#version 450
// One pass of the frame. Each reads up to two images and writes one; `kind` says what it computes. All is whole numbers,
// so that pixels are the same to the bit on every device.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D first;
layout(set = 0, binding = 1, r32ui) uniform readonly uimage2D second;
layout(set = 0, binding = 2, r32ui) uniform writeonly uimage2D result;
layout(push_constant) uniform Push { uint kind; uint light; } push;

const uint SHADOW = 0, LIGHT = 1, ADD = 2, TONE = 3;

// hashed mixes the bits of a number.
uint hashed(uint x) {
  x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16;
  return x;
}

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(result);
  if (any(greaterThanEqual(at, size))) return;
  ivec2 lamp = ivec2(hashed(push.light * 2u) % uint(size.x), hashed(push.light * 2u + 1u) % uint(size.y));
  uint value = 0;
  if (push.kind == SHADOW) {  // how far light reaches: a disc with a rough edge
    ivec2 d = at - lamp;
    uint far = uint(d.x * d.x + d.y * d.y) + hashed(uint(at.x + at.y * size.x)) % 64u;
    value = far < 4096u ? 4096u - far : 0u;
  } else if (push.kind == LIGHT) {  // a blurred shadow
    for (int y = -2; y <= 2; y++)
      for (int x = -2; x <= 2; x++) value += imageLoad(first, clamp(at + ivec2(x, y), ivec2(0), size - 1)).r;
    value = value / 25u;
  } else if (push.kind == ADD) {
    value = imageLoad(first, at).r + imageLoad(second, at).r;
  } else {
    value = min(imageLoad(first, at).r / 16u, 255u) * 0x010101U;
  }
  imageStore(result, at, uvec4(value, 0, 0, 0));
}
