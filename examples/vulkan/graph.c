// A small render graph in Vulkan whose images share one allocation, at offsets that Stowage plans. Six lights throw shadows, which are
// blurred and added up. Each image is transient: one pass makes it, later passes read it, and then its bytes are free. Stowage says
// at which offsets the images lie, and, by stowage_barriers, before which passes a barrier must stand.
//
//     graph                   planned offsets, and the barriers of the list
//     graph --apart           each image has bytes of its own
//     graph --drop K          planned, without the barriers of image K
//     graph --list            print the images that have barriers, and stop
//     graph -o FILE.ppm       write the picture, too
//
// The validation layer of Khronos watches each run, with synchronization validation. Its complaints are printed on standard error, and
// counted in the last line of standard output. The exit code is 0, or 1 for a failure, or 77 if there is no driver or no layer.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

#include "pass.h"
#include "stowage.h"

enum { SIDE = 128, LIGHTS = 6, MOST = 3 * LIGHTS + 1 };
enum { SHADOW, LIGHT, ADD, TONE };  // as in pass.comp

#define CHECK(call) \
  do { \
    VkResult result_ = (call); \
    if (result_ != VK_SUCCESS) fail(#call, result_); \
  } while (0)

static void fail(const char *what, int code) {
  fprintf(stderr, "%s: %d\n", what, code);
  exit(1);
}

// lacking ends the program because the machine has no such thing.
static void lacking(const char *what) {
  fprintf(stderr, "there is no %s here\n", what);
  exit(77);
}

// ---- The frame ------------------------------------------------------------------------------------

// A pass writes the image of its own number. So pass k and image k are born together.
typedef struct pass {
  uint32_t kind, light;
  int reads[2];  // images, or -1
  char name[16];
} pass;

static pass passes[MOST];
static int count;

static int add(uint32_t kind, int light, int first, int second, const char *name) {
  pass p = {kind, (uint32_t)light, {first, second}, ""};
  snprintf(p.name, sizeof p.name, "%s%d", name, light);
  passes[count] = p;
  return count++;
}

// frame lists the passes. The shadow of a later light is made between the passes of earlier ones, so a device may run them side by side.
static void frame(void) {
  int shadow[LIGHTS], sum = -1;
  for (int k = 0; k < 2; k++) shadow[k] = add(SHADOW, k, -1, -1, "shadow");
  for (int k = 0; k < LIGHTS; k++) {
    int light = add(LIGHT, k, shadow[k], -1, "light");
    if (k + 2 < LIGHTS) shadow[k + 2] = add(SHADOW, k + 2, -1, -1, "shadow");
    sum = sum < 0 ? light : add(ADD, k, sum, light, "sum");
  }
  add(TONE, 0, sum, -1, "tone");
}

// ---- The device -----------------------------------------------------------------------------------

static VkInstance instance;
static VkPhysicalDevice chosen;
static VkDevice device;
static VkQueue queue;
static uint32_t family;
static int complaints;

static VKAPI_ATTR VkBool32 VKAPI_CALL complain(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT type,
                                               const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
  (void)severity, (void)type, (void)user;
  complaints++;
  fprintf(stderr, "%s\n", data->pMessage);
  return VK_FALSE;
}

static void open_device(void) {
  const char *layer = "VK_LAYER_KHRONOS_validation", *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkLayerProperties layers[64];
  uint32_t n = 64;
  int found = 0;
  CHECK(vkEnumerateInstanceLayerProperties(&n, layers));
  for (uint32_t k = 0; k < n; k++) found |= strcmp(layers[k].layerName, layer) == 0;
  if (!found) lacking("validation layer");
  VkValidationFeatureEnableEXT enable = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkDebugUtilsMessengerCreateInfoEXT messages = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
      .pfnUserCallback = complain};
  VkValidationFeaturesEXT features = {
      .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, .pNext = &messages, .enabledValidationFeatureCount = 1, .pEnabledValidationFeatures = &enable};
  VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
  VkInstanceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pNext = &features, .pApplicationInfo = &application,
                                 .enabledLayerCount = 1, .ppEnabledLayerNames = &layer, .enabledExtensionCount = 1, .ppEnabledExtensionNames = &extension};
  if (vkCreateInstance(&create, NULL, &instance) != VK_SUCCESS) lacking("Vulkan driver");
  PFN_vkCreateDebugUtilsMessengerEXT listen = (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT");
  VkDebugUtilsMessengerEXT messenger;
  CHECK(listen(instance, &messages, NULL, &messenger));

  VkPhysicalDevice all[16];
  n = 16;
  if (vkEnumeratePhysicalDevices(instance, &n, all) < 0 || n == 0) lacking("Vulkan driver");
  for (uint32_t k = 0; k < n && device == NULL; k++) {
    VkQueueFamilyProperties families[16];
    uint32_t m = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(all[k], &m, families);
    for (family = 0; family < m && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT); family++) {}
    VkFormatProperties format;
    vkGetPhysicalDeviceFormatProperties(all[k], VK_FORMAT_R32_UINT, &format);
    if (family == m || !(format.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT)) continue;
    float priority = 1;
    VkDeviceQueueCreateInfo one = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo make = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &one};
    chosen = all[k];
    CHECK(vkCreateDevice(chosen, &make, NULL, &device));
  }
  if (device == NULL) lacking("device that stores to images of whole numbers");
  vkGetDeviceQueue(device, family, 0, &queue);
}

// memory_of allocates bytes of a type in the bits, with these properties.
static VkDeviceMemory memory_of(VkDeviceSize bytes, uint32_t bits, VkMemoryPropertyFlags want) {
  VkPhysicalDeviceMemoryProperties types;
  vkGetPhysicalDeviceMemoryProperties(chosen, &types);
  for (uint32_t k = 0; k < types.memoryTypeCount; k++) {
    if ((bits & 1u << k) && (types.memoryTypes[k].propertyFlags & want) == want) {
      VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = bytes, .memoryTypeIndex = k};
      VkDeviceMemory memory;
      CHECK(vkAllocateMemory(device, &allocate, NULL, &memory));
      return memory;
    }
  }
  lacking("memory of the type that the images need");
  return VK_NULL_HANDLE;
}

static VkImage image_of(uint32_t side) {
  VkImageCreateInfo create = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R32_UINT,
                              .extent = {side, side, 1}, .mipLevels = 1, .arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT,
                              .tiling = VK_IMAGE_TILING_OPTIMAL, .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
  VkImage image;
  CHECK(vkCreateImage(device, &create, NULL, &image));
  return image;
}

static const VkImageSubresourceRange whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

static VkImageView view_of(VkImage image) {
  VkImageViewCreateInfo create = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = image, .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = VK_FORMAT_R32_UINT, .subresourceRange = whole};
  VkImageView view;
  CHECK(vkCreateImageView(device, &create, NULL, &view));
  return view;
}

// ---- The plan -------------------------------------------------------------------------------------

static VkImage images[MOST];
static int64_t lower[MOST], upper[MOST], size[MOST], alignment[MOST], offsets[MOST];
static int waits[MOST];  // of each image: how many others it must wait for

// plan gives each image an offset, and returns the bytes of all. Time is the number of the pass.
static int64_t plan(int apart) {
  int64_t height = 0, buffer[MOST * MOST];
  for (int k = 0; k < count; k++) {
    VkMemoryRequirements need;
    vkGetImageMemoryRequirements(device, images[k], &need);
    lower[k] = k, upper[k] = k + 1, size[k] = (int64_t)need.size, alignment[k] = (int64_t)need.alignment;
    for (int r = 0; r < 2; r++)
      if (passes[k].reads[r] >= 0) upper[passes[k].reads[r]] = k + 1;
  }
  if (apart) {
    for (int k = 0; k < count; k++) {
      offsets[k] = (height + alignment[k] - 1) / alignment[k] * alignment[k];
      height = offsets[k] + size[k];
    }
    return height;
  }
  stowage_solver *s = stowage_new();
  stowage_result result;
  if (stowage_set_buffers(s, count, lower, upper, size) < 0 || stowage_set_alignments(s, alignment) < 0 ||
      stowage_solve(s, offsets) != STOWAGE_OPTIMAL || stowage_get_result(s, &result, sizeof result) < 0)
    fail(stowage_error(s), 1);
  int64_t n = stowage_barriers(s, NULL, MOST * MOST, buffer, NULL, NULL, NULL, NULL);
  if (n < 0) fail(stowage_error(s), (int)n);
  for (int64_t k = 0; k < n; k++) waits[buffer[k]]++;
  height = result.height;
  stowage_free(s);
  return height;
}

// ---- The commands ---------------------------------------------------------------------------------

static VkImageMemoryBarrier of_image(VkImage image, VkAccessFlags from, VkAccessFlags to, VkImageLayout before) {
  VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .srcAccessMask = from, .dstAccessMask = to, .oldLayout = before,
                            .newLayout = VK_IMAGE_LAYOUT_GENERAL, .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                            .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .image = image, .subresourceRange = whole};
  return b;
}

// record writes the passes. Before a pass stand the barriers for what it reads, as in any program, and for the image that it makes.
static void record(VkCommandBuffer commands, VkPipelineLayout layout, const VkDescriptorSet *sets, int without) {
  const VkPipelineStageFlags compute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, nothing = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT;
  int seen[MOST] = {0};  // the image has a barrier behind the pass that made it
  for (int k = 0; k < count; k++) {
    VkImageMemoryBarrier read[2], made = of_image(images[k], 0, VK_ACCESS_SHADER_WRITE_BIT, VK_IMAGE_LAYOUT_UNDEFINED);
    uint32_t n = 0;
    for (int r = 0; r < 2; r++) {
      int of = passes[k].reads[r];
      if (of >= 0 && !seen[of]++) read[n++] = of_image(images[of], VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT, VK_IMAGE_LAYOUT_GENERAL);
    }
    if (n > 0) vkCmdPipelineBarrier(commands, compute, compute, 0, 0, NULL, 0, NULL, n, read);
    if (waits[k] > 0 && k != without) {
      // The image takes over bytes: what was done with them before must have ended, and must have been written.
      VkMemoryBarrier over = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_SHADER_WRITE_BIT};
      vkCmdPipelineBarrier(commands, compute, compute, 0, 1, &over, 0, NULL, 0, NULL);
      vkCmdPipelineBarrier(commands, compute, compute, 0, 0, NULL, 0, NULL, 1, &made);
    } else {
      vkCmdPipelineBarrier(commands, nothing, compute, 0, 0, NULL, 0, NULL, 1, &made);
    }
    uint32_t push[2] = {passes[k].kind, passes[k].light};
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &sets[k], 0, NULL);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
    vkCmdDispatch(commands, SIDE / 16, SIDE / 16, 1);
  }
}

// ---- All together ---------------------------------------------------------------------------------

static void write_picture(const char *path, const uint32_t *pixels) {
  FILE *f = fopen(path, "wb");
  if (f == NULL) fail(path, 1);
  fprintf(f, "P6\n%d %d\n255\n", SIDE, SIDE);
  for (int k = 0; k < SIDE * SIDE; k++) {
    for (int c = 0; c < 3; c++) fputc((int)(pixels[k] >> 8 * c & 255), f);
  }
  if (fclose(f) != 0) fail(path, 1);
}

int main(int argc, char **argv) {
  int apart = 0, without = -1, list = 0;
  const char *out = NULL;
  for (int k = 1; k < argc; k++) {
    if (strcmp(argv[k], "--apart") == 0) apart = 1;
    else if (strcmp(argv[k], "--list") == 0) list = 1;
    else if (strcmp(argv[k], "--drop") == 0 && k + 1 < argc) without = atoi(argv[++k]);
    else if (strcmp(argv[k], "-o") == 0 && k + 1 < argc) out = argv[++k];
    else fail(argv[k], 1);
  }
  frame();
  open_device();
  uint32_t bits = ~0u;
  for (int k = 0; k < count; k++) {
    images[k] = image_of(SIDE);
    VkMemoryRequirements need;
    vkGetImageMemoryRequirements(device, images[k], &need);
    bits &= need.memoryTypeBits;
  }
  int64_t height = plan(apart);
  if (list) {
    for (int k = 0; k < count; k++)
      if (waits[k] > 0) printf("%d %s\n", k, passes[k].name);
    return 0;
  }
  VkDeviceMemory arena = memory_of((VkDeviceSize)height, bits, 0);
  for (int k = 0; k < count; k++) CHECK(vkBindImageMemory(device, images[k], arena, (VkDeviceSize)offsets[k]));

  // An image of one pixel stands in where a pass reads less than two.
  VkImage none = image_of(1);
  VkMemoryRequirements need;
  vkGetImageMemoryRequirements(device, none, &need);
  CHECK(vkBindImageMemory(device, none, memory_of(need.size, need.memoryTypeBits, 0), 0));
  VkBuffer buffer;
  VkBufferCreateInfo host = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = SIDE * SIDE * 4, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  CHECK(vkCreateBuffer(device, &host, NULL, &buffer));
  vkGetBufferMemoryRequirements(device, buffer, &need);
  VkDeviceMemory read = memory_of(need.size, need.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  CHECK(vkBindBufferMemory(device, buffer, read, 0));

  VkShaderModuleCreateInfo words = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof pass_words, .pCode = pass_words};
  VkShaderModule module;
  CHECK(vkCreateShaderModule(device, &words, NULL, &module));
  VkDescriptorSetLayoutBinding bindings[3];
  for (uint32_t k = 0; k < 3; k++)
    bindings[k] = (VkDescriptorSetLayoutBinding){k, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
  VkDescriptorSetLayoutCreateInfo sets_of = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 3, .pBindings = bindings};
  VkDescriptorSetLayout set_layout, set_layouts[MOST];
  CHECK(vkCreateDescriptorSetLayout(device, &sets_of, NULL, &set_layout));
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 8};
  VkPipelineLayoutCreateInfo layout_of = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout,
                                          .pushConstantRangeCount = 1, .pPushConstantRanges = &range};
  VkPipelineLayout layout;
  CHECK(vkCreatePipelineLayout(device, &layout_of, NULL, &layout));
  VkComputePipelineCreateInfo pipeline_of = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = "main"}};
  VkPipeline pipeline;
  CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline_of, NULL, &pipeline));

  VkDescriptorPoolSize room = {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 3 * MOST};
  VkDescriptorPoolCreateInfo pool_of = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = MOST, .poolSizeCount = 1, .pPoolSizes = &room};
  VkDescriptorPool pool;
  CHECK(vkCreateDescriptorPool(device, &pool_of, NULL, &pool));
  VkDescriptorSet sets[MOST];
  for (int k = 0; k < count; k++) set_layouts[k] = set_layout;
  VkDescriptorSetAllocateInfo some = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool, .descriptorSetCount = (uint32_t)count, .pSetLayouts = set_layouts};
  CHECK(vkAllocateDescriptorSets(device, &some, sets));
  VkImageView views[MOST], blank = view_of(none);
  for (int k = 0; k < count; k++) {
    views[k] = view_of(images[k]);
    int of[3] = {passes[k].reads[0], passes[k].reads[1], k};
    for (uint32_t b = 0; b < 3; b++) {
      VkDescriptorImageInfo info = {VK_NULL_HANDLE, of[b] < 0 ? blank : views[of[b]], VK_IMAGE_LAYOUT_GENERAL};
      VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = sets[k], .dstBinding = b, .descriptorCount = 1,
                                    .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .pImageInfo = &info};
      vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    }
  }

  VkCommandPoolCreateInfo commands_of = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
  VkCommandPool command_pool;
  CHECK(vkCreateCommandPool(device, &commands_of, NULL, &command_pool));
  VkCommandBufferAllocateInfo one = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = command_pool, .commandBufferCount = 1};
  VkCommandBuffer commands;
  CHECK(vkAllocateCommandBuffers(device, &one, &commands));
  VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
  CHECK(vkBeginCommandBuffer(commands, &begin));
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  VkImageMemoryBarrier first = of_image(none, 0, VK_ACCESS_SHADER_READ_BIT, VK_IMAGE_LAYOUT_UNDEFINED);
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL, 0, NULL, 1, &first);
  record(commands, layout, sets, without);
  VkImageMemoryBarrier last = of_image(images[count - 1], VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT, VK_IMAGE_LAYOUT_GENERAL);
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &last);
  VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {SIDE, SIDE, 1}};
  vkCmdCopyImageToBuffer(commands, images[count - 1], VK_IMAGE_LAYOUT_GENERAL, buffer, 1, &copy);
  VkMemoryBarrier to_host = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
  CHECK(vkEndCommandBuffer(commands));
  VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
  CHECK(vkQueueWaitIdle(queue));

  void *pixels;
  CHECK(vkMapMemory(device, read, 0, VK_WHOLE_SIZE, 0, &pixels));
  uint64_t digest = 14695981039346656037u;  // FNV-1a
  for (size_t k = 0; k < SIDE * SIDE * 4; k++) digest = (digest ^ ((unsigned char *)pixels)[k]) * 1099511628211u;
  if (out != NULL) write_picture(out, pixels);
  int barriers = 0;
  for (int k = 0; k < count; k++) barriers += waits[k] > 0 && k != without;
  printf("%d images in %lld bytes, %d barriers, pixels %016llx, %d complaints\n", count, (long long)height, barriers, (unsigned long long)digest, complaints);
  return 0;
}
