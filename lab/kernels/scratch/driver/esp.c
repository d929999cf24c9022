// Asks ESP-NN's size functions what the glue of esp-tflite-micro asks them: tensorflow/lite/micro/kernels/esp_nn,
// conv.cc, depthwise_conv.cc and softmax.cc at 99f49e1. Which functions these are, the library's own header says.
#include "case.h"
#include <esp_nn.h>

static void convolution(const operator_t *o, int depthwise)
{
    const tensor *x = &o->in[0], *f = &o->in[1], *y = &o->out;
    if (is(f, "INT4")) request(elements(f));
    if (!is(x, "INT8")) return;
    data_dims_t in = {.width = x->dims[2], .height = x->dims[1], .channels = x->dims[3], .extra = 1};
    data_dims_t out = {.width = y->dims[2], .height = y->dims[1], .channels = y->dims[3], .extra = 1};
    data_dims_t filter = {.width = f->dims[2], .height = f->dims[1], .channels = f->dims[3], .extra = 0};
    data_2d_t stride = {o->stride[1], o->stride[0]};
    data_2d_t pad = {padding(o, 1, x->dims[2], f->dims[2]), padding(o, 0, x->dims[1], f->dims[1])};
    int n;
    if (depthwise) {
        dw_conv_params_t p = {.ch_mult = o->multiplier, .stride = stride, .padding = pad, .activation = {-128, 127}};
        n = esp_nn_get_depthwise_conv_scratch_size(&in, &filter, &out, &p);
    } else {
        conv_params_t p = {.stride = stride, .padding = pad, .activation = {-128, 127}};
        n = esp_nn_get_conv_scratch_size(&in, &filter, &out, &p);
    }
    if (n > 0) request(n);
}

static void softmax(const operator_t *o)
{
    const tensor *x = &o->in[0];
    if (!is(x, "INT8") || !is(&o->out, "INT8")) return;
    if (x->rank < 2) {
        printf(" ?"); // the glue reads past the shape
        return;
    }
    int n = esp_nn_get_softmax_scratch_size(x->dims[1], x->dims[2]);
    if (n > 0) request(n);
}

int main(void)
{
    operator_t o;
    while (read_case(&o)) {
        printf("=");
        if (!strcmp(o.kind, "CONV_2D")) convolution(&o, 0);
        else if (!strcmp(o.kind, "DEPTHWISE_CONV_2D")) convolution(&o, 1);
        else if (!strcmp(o.kind, "SOFTMAX")) softmax(&o);
        else return 1;
        printf("\n");
    }
    return 0;
}
