// The kernels of CMSIS-NN as TensorFlow Lite Micro's glue calls them (tensorflow/lite/micro/kernels/cmsis_nn),
// for the harness. A case says which operator of TensorFlow Lite, with which shapes; the library chooses the path.

#include "arm_nnfunctions.h"
#include "arm_nnsupportfunctions.h"
#include "harness.h"

enum { CONV, DEPTHWISE, CONNECTED, CONNECTED_3D, MAX_POOL, AVERAGE_POOL, ADD, MUL, SOFTMAX, MAXIMUM, MINIMUM, PAD };

static int16_t lookup[513], inverse[513];

static void prepare(void)
{
    memset(scratch, 0x5a, sizeof scratch);
    for (int i = 0; i < 513; i++) {
        lookup[i] = (int16_t)(32767 * i / 512);
        inverse[i] = (int16_t)(32767 - 16383 * i / 512);
    }
}

static int connected(const void *x, void *y)
{
    cmsis_nn_context ctx = {scratch, sizeof scratch};
    cmsis_nn_dims in = {t.n, 1, 1, t.ci}, out = {t.n, 1, 1, t.co}, filter = {t.ci, 1, 1, t.co}, biases = {1, 1, 1, t.co};
    cmsis_nn_per_tensor_quant_params one = {multiplier[0], shift[0]};
    cmsis_nn_quant_params any = {multiplier, shift, t.flag};
    cmsis_nn_fc_params p = {5, 0, -3, {-128, 127}};
    if (t.bits == 16) {
        p = (cmsis_nn_fc_params){0, 0, 0, {-32768, 32767}};
        return arm_fully_connected_s16(&ctx, &p, &one, &in, x, &filter, weights, &biases, wide, &out, y);
    }
    if (t.bits == 4)
        return arm_fully_connected_s4(&ctx, &p, &one, &in, x, &filter, weights, &biases, bias, &out, y);
    if (t.op == CONNECTED_3D && t.ci % 4 == 0) {
        cmsis_nn_conv_params c = {5, -3, {1, 1}, {0, 0}, {1, 1}, {-128, 127}};
        cmsis_nn_per_channel_quant_params each = {multiplier, shift};
        return arm_convolve_1x1_s8_fast(&ctx, &c, &each, &in, x, &filter, weights, &biases, bias, &out, y);
    }
    arm_vector_sum_s8((int32_t *)scratch, t.ci, t.co, weights, 5, 0, bias);
    return arm_fully_connected_wrapper_s8(&ctx, &p, &any, &in, x, &filter, weights, &biases, bias, &out, y);
}

static int window(const void *x, void *y)
{
    int low = t.bits == 16 ? -32768 : -128, high = t.bits == 16 ? 32767 : 127, offset = t.bits == 16 ? 0 : 5;
    cmsis_nn_context ctx = {scratch, sizeof scratch};
    cmsis_nn_dims in = {t.n, t.h, t.w, t.ci}, out = {t.n, t.oh, t.ow, t.co}, biases = {1, 1, 1, t.co};
    cmsis_nn_per_channel_quant_params each = {multiplier, shift};
    cmsis_nn_activation range = {low, high};
    if (t.op == CONV) {
        cmsis_nn_conv_params p = {offset, t.bits == 16 ? 0 : -3, {t.sw, t.sh}, {t.pw, t.ph}, {t.dw, t.dh}, range};
        cmsis_nn_dims filter = {1, t.kh, t.kw, t.ci / t.mult};
        cmsis_nn_bias_data b = {wide, false};
        if (t.bits == 16)
            return arm_convolve_wrapper_s16(&ctx, &p, &each, &in, x, &filter, weights, &biases, &b, &out, y);
        if (t.bits == 4)
            return arm_convolve_wrapper_s4(&ctx, &p, &each, &in, x, &filter, weights, &biases, bias, &out, y);
        return arm_convolve_wrapper_s8(&ctx, &p, &each, &in, x, &filter, weights, &biases, bias, &out, y);
    }
    if (t.op == DEPTHWISE) {
        cmsis_nn_dw_conv_params p = {offset, t.bits == 16 ? 0 : -3, t.mult, {t.sw, t.sh}, {t.pw, t.ph}, {t.dw, t.dh}, range};
        cmsis_nn_dims filter = {1, t.kh, t.kw, t.co};
        if (t.bits == 16)
            return arm_depthwise_conv_s16(&ctx, &p, &each, &in, x, &filter, weights, &biases, wide, &out, y);
        if (t.bits == 4)
            return arm_depthwise_conv_wrapper_s4(&ctx, &p, &each, &in, x, &filter, weights, &biases, bias, &out, y);
        return arm_depthwise_conv_wrapper_s8(&ctx, &p, &each, &in, x, &filter, weights, &biases, bias, &out, y);
    }
    cmsis_nn_pool_params p = {{t.sw, t.sh}, {t.pw, t.ph}, range};
    cmsis_nn_dims filter = {1, t.kh, t.kw, 1};
    if (t.op == MAX_POOL)
        return t.bits == 16 ? arm_max_pool_s16(&ctx, &p, &in, x, &filter, &out, y)
                            : arm_max_pool_s8(&ctx, &p, &in, x, &filter, &out, y);
    return t.bits == 16 ? arm_avgpool_s16(&ctx, &p, &in, x, &filter, &out, y)
                        : arm_avgpool_s8(&ctx, &p, &in, x, &filter, &out, y);
}

static int elementwise(const void *x, void *y)
{
    const void *a = t.flag ? (const void *)other : x, *b = t.flag ? x : (const void *)other; // flag: the other operand
    if (t.op == ADD && t.bits == 16)
        return arm_elementwise_add_s16(a, b, 0, 0x50000000, 0, 0, 0x60000000, 0, 15, y, 0, 0x60000000, -14, -32768, 32767, t.so / 2);
    if (t.op == ADD)
        return arm_elementwise_add_s8(a, b, 5, 0x50000000, 0, -4, 0x60000000, 0, 20, y, -3, 0x60000000, -19, -128, 127, t.so);
    if (t.bits == 16)
        return arm_elementwise_mul_s16(a, b, 0, 0, y, 0, 0x60000000, -14, -32768, 32767, t.so / 2);
    return arm_elementwise_mul_s8(a, b, 5, -4, y, -3, 0x60000000, -6, -128, 127, t.so);
}

static int kernel(const void *x, void *y)
{
    cmsis_nn_context none = {NULL, 0};
    cmsis_nn_dims whole = {t.n, t.h, t.w, t.ci}, pixel = {1, 1, 1, t.outer};
    switch (t.op) {
    case CONNECTED:
    case CONNECTED_3D:
        return connected(x, y);
    case ADD:
    case MUL:
        return elementwise(x, y);
    case SOFTMAX: // flag: the result has 16 bits
        if (t.bits == 16)
            return arm_softmax_s16(x, t.n, t.ci, 0x60000000, -3, &(cmsis_nn_softmax_lut_s16){lookup, inverse}, y);
        if (t.flag)
            arm_softmax_s8_s16(x, t.n, t.ci, 0x60000000, 22, -248, y);
        else
            arm_softmax_s8(x, t.n, t.ci, 0x60000000, 22, -248, y);
        return 0;
    case MAXIMUM:
        return arm_maximum_s8(&none, x, &whole, other, t.outer ? &pixel : &whole, y, &whole);
    case MINIMUM:
        return arm_minimum_s8(&none, x, &whole, other, t.outer ? &pixel : &whole, y, &whole);
    case PAD: { // before: outer, ph, pw, dh; after: what the result has more
        cmsis_nn_dims before = {t.outer, t.ph, t.pw, t.dh};
        cmsis_nn_dims after = {t.flag - t.n - t.outer, t.oh - t.h - t.ph, t.ow - t.w - t.pw, t.co - t.ci - t.dh};
        return arm_pad_s8(x, y, 9, &whole, &before, &after);
    }
    }
    return window(x, y);
}
