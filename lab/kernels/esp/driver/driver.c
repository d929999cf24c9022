// ESP-NN's kernels as the glue of esp-tflite-micro calls them (tensorflow/lite/micro/kernels/esp_nn), for the
// harness. CONFIG_NN_OPTIMIZED chooses the set of kernels, as in a build for a chip. What the glue keeps for
// the reference kernels is refused: dilation.

#include "esp_nn.h"
#include "harness.h"

enum { CONV, DEPTHWISE, CONNECTED, CONNECTED_3D, MAX_POOL, AVERAGE_POOL, ADD, MUL, SOFTMAX };

static void prepare(void)
{
    memset(scratch, 0x5a, sizeof scratch);
    esp_nn_set_conv_scratch_buf(scratch);
    esp_nn_set_depthwise_conv_scratch_buf(scratch);
    esp_nn_set_softmax_scratch_buf(scratch);
}

static int kernel(const void *operand, void *result)
{
    const int8_t *x = operand;
    int8_t *y = result;
    int in = t.h * t.w * t.ci, out = t.oh * t.ow * t.co;
    if (t.bits != 8 || t.dh != 1 || t.dw != 1)
        return -1;
    data_dims_t image = {.width = t.w, .height = t.h, .channels = t.ci, .extra = 1};
    data_dims_t pixels = {.width = t.ow, .height = t.oh, .channels = t.co, .extra = 1};
    data_dims_t filter = {.width = t.kw, .height = t.kh, .channels = t.op == CONV ? t.ci : t.co, .extra = 0};
    quant_data_t each = {.shift = shift, .mult = multiplier};
    const int8_t *a = t.flag ? other : x, *b = t.flag ? x : other; // flag: the other operand
    switch (t.op) {
    case CONV: {
        conv_params_t p = {.in_offset = 5, .out_offset = -3, .stride = {t.sw, t.sh}, .padding = {t.pw, t.ph},
                           .dilation = {0, 0}, .activation = {-128, 127}};
        for (int n = 0; n < t.n; n++)
            esp_nn_conv_s8(&image, x + n * in, &filter, weights, bias, &pixels, y + n * out, &p, &each);
        return 0;
    }
    case DEPTHWISE: {
        dw_conv_params_t p = {.in_offset = 5, .out_offset = -3, .ch_mult = t.mult, .stride = {t.sw, t.sh},
                              .padding = {t.pw, t.ph}, .dilation = {0, 0}, .activation = {-128, 127}};
        for (int n = 0; n < t.n; n++)
            esp_nn_depthwise_conv_s8(&image, x + n * in, &filter, weights, bias, &pixels, y + n * out, &p, &each);
        return 0;
    }
    case CONNECTED:
    case CONNECTED_3D:
        for (int n = 0; n < t.n; n++, x += t.ci, y += t.co)
            if (t.flag)
                esp_nn_fully_connected_per_ch_s8(x, 5, t.ci, weights, 0, bias, y, t.co, -3, shift, multiplier, -128, 127);
            else
                esp_nn_fully_connected_s8(x, 5, t.ci, weights, 0, bias, y, t.co, -3, shift[0], multiplier[0], -128, 127);
        return 0;
    case MAX_POOL:
    case AVERAGE_POOL:
        for (int n = 0; n < t.n; n++, x += in, y += out)
            (t.op == MAX_POOL ? (t.ci % 4 ? esp_nn_max_pool_s8_ansi : esp_nn_max_pool_s8)
                              : (t.ci % 4 ? esp_nn_avg_pool_s8_ansi : esp_nn_avg_pool_s8))(
                x, t.w, t.h, y, t.ow, t.oh, t.sw, t.sh, t.kw, t.kh, t.pw, t.ph, -128, 127, t.ci);
        return 0;
    case ADD:
        esp_nn_add_elementwise_s8(a, b, 5, -4, 0x50000000, 0x60000000, 0, 0, 20, y, -3, 0x60000000, -19, -128, 127, t.so);
        return 0;
    case MUL:
        esp_nn_mul_elementwise_s8(a, b, 5, -4, y, -3, 0x60000000, -6, -128, 127, t.so);
        return 0;
    case SOFTMAX:
        if (t.flag)
            return -1; // results of 16 bits are the reference kernel's
        esp_nn_softmax_s8(x, t.n, t.ci, 0x60000000, 22, -248, y);
        return 0;
    }
    return -1;
}
