// Asks CMSIS-NN's size functions what the glue of tflite-micro asks them: tensorflow/lite/micro/kernels/cmsis_nn at 90b983c,
// built with KERNELS_OPTIMIZED_FOR_SPEED. Macros say for which cores the library is built, as they do in firmware.
#include "case.h"
#include "arm_nnfunctions.h"

static cmsis_nn_dims image(const tensor *t)
{
    cmsis_nn_dims d = {t->dims[0], t->dims[1], t->dims[2], t->dims[3]};
    return d;
}

static void some(long n)
{
    if (n > 0) request(n);
}

static void convolution(const operator_t *o)
{
    const tensor *x = &o->in[0], *f = &o->in[1];
    if (!is(x, "INT8") && !is(x, "INT16")) return;
    cmsis_nn_dims in = image(x), out = image(&o->out), filter = image(f);
    filter.n = 1;
    cmsis_nn_conv_params p = {0};
    p.stride.h = o->stride[0], p.stride.w = o->stride[1];
    p.dilation.h = o->dilation[0], p.dilation.w = o->dilation[1];
    p.padding.h = padding(o, 0, in.h, filter.h), p.padding.w = padding(o, 1, in.w, filter.w);
    some(is(x, "INT8") ? arm_convolve_wrapper_s8_get_buffer_size(&p, &in, &filter, &out)
                       : arm_convolve_wrapper_s16_get_buffer_size(&p, &in, &filter, &out));
}

// The glue sets no stride before it asks, so it is tried with several: ? if that matters.
static void depthwise(const operator_t *o)
{
    const tensor *x = &o->in[0], *f = &o->in[1];
    if (!is(x, "INT8")) return;
    cmsis_nn_dims in = image(x), out = image(&o->out), filter = image(f);
    filter.n = 1;
    long first = 0;
    for (int stride = 1; stride <= 64; stride++) {
        cmsis_nn_dw_conv_params p = {0};
        p.stride.h = p.stride.w = stride;
        p.dilation.h = o->dilation[0], p.dilation.w = o->dilation[1];
        p.padding.h = padding(o, 0, in.h, filter.h), p.padding.w = padding(o, 1, in.w, filter.w);
        long n = is(f, "INT4") ? arm_depthwise_conv_wrapper_s4_get_buffer_size(&p, &in, &filter, &out)
                               : arm_depthwise_conv_wrapper_s8_get_buffer_size(&p, &in, &filter, &out);
        if (stride == 1) first = n;
        if (n != first) {
            printf(" ?");
            return;
        }
    }
    some(first);
}

static void transposed(const operator_t *o)
{
    const tensor *x = &o->in[2], *f = &o->in[1], *bias = &o->in[3];
    if (is(x, "INT16")) {
        request(8L * elements(&o->out));
        if (is(bias, "INT16")) request(8L * elements(bias));
    }
    if (!is(x, "INT8")) return;
    cmsis_nn_dims in = image(x), out = image(&o->out), filter = image(f);
    cmsis_nn_transpose_conv_params p = {0};
    p.stride.h = o->stride[0], p.stride.w = o->stride[1];
    request(arm_transpose_conv_s8_get_buffer_size(&p, &in, &filter, &out));
    request(arm_transpose_conv_s8_get_reverse_conv_buffer_size(&p, &in, &filter));
}

static void connected(const operator_t *o)
{
    const tensor *x = &o->in[0], *w = &o->in[1], *bias = &o->in[2], *y = &o->out;
    cmsis_nn_dims filter = {last(w), 1, 1, last(y)};
    if (is(x, "INT16")) some(arm_fully_connected_s16_get_buffer_size(&filter));
    if (!is(x, "INT8") || is(w, "INT4")) return;
    if (y->rank > 2 && last(w) % 4 == 0) {
        if (!o->per_channel) request(2L * (long)sizeof(int32_t) * last(y));
        cmsis_nn_dims in = {elements(y) / last(y), 1, 1, last(w)};
        some(arm_convolve_1x1_s8_fast_get_buffer_size(&in));
        return;
    }
    long n = arm_fully_connected_s8_get_buffer_size(&filter);
    if (n > 0 && w->constant && (!*bias->type || bias->constant)) printf(" | %ld", n);
    else some(n);
}

static void average(const operator_t *o)
{
    const tensor *x = &o->in[0];
    if (is(x, "INT8")) some(arm_avgpool_s8_get_buffer_size(o->out.dims[2], x->dims[3]));
    if (is(x, "INT16")) some(arm_avgpool_s16_get_buffer_size(o->out.dims[2], x->dims[3]));
}

static void svdf(const operator_t *o)
{
    const tensor *x = &o->in[0], *f = &o->in[1];
    request(4L * x->dims[0] * f->dims[0]);
    if (!is(x, "INT8")) return;
    request(4L * x->dims[0] * o->out.dims[1]);
    cmsis_nn_dims weights = {f->dims[0], x->dims[1], 0, 0};
    long n = arm_svdf_s8_get_buffer_size(&weights);
    if (n > 0) printf(" | %ld", n);
}

static void matrices(const operator_t *o)
{
    if (!is(&o->in[0], "INT8")) return;
    cmsis_nn_dims y = {1, 1, 1, last(&o->out)};
    some(arm_fully_connected_s8_get_buffer_size(&y));
}

int main(void)
{
    operator_t o;
    while (read_case(&o)) {
        printf("=");
        if (!strcmp(o.kind, "CONV_2D")) convolution(&o);
        else if (!strcmp(o.kind, "DEPTHWISE_CONV_2D")) depthwise(&o);
        else if (!strcmp(o.kind, "TRANSPOSE_CONV")) transposed(&o);
        else if (!strcmp(o.kind, "FULLY_CONNECTED")) connected(&o);
        else if (!strcmp(o.kind, "AVERAGE_POOL_2D")) average(&o);
        else if (!strcmp(o.kind, "SVDF")) svdf(&o);
        else if (!strcmp(o.kind, "BATCH_MATMUL")) matrices(&o);
        else return 1;
        printf("\n");
    }
    return 0;
}
