// Lets a host's compiler read CMSIS-NN's headers for MVE, whose vectors no size function touches.
typedef int int8x16_t, uint8x16_t, int16x8_t, uint16x8_t, int32x4_t, uint32x4_t, int64x2_t, mve_pred16_t;
