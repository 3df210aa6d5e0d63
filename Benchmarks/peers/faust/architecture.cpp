// SPDX-License-Identifier: Apache-2.0

#include "Batches.h"
#include "SoundFile.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

// Around what Faust makes of a .dsp (`faust -a`): measures blocks, or renders a file with libsndfile's loop.
//
//     PROGRAM time MILLISECONDS FRAMES,FRAMES… NAME=VALUE…    nanoseconds of a block, one a line
//     PROGRAM file INPUT OUTPUT NAME=VALUE…

#ifndef FAUSTFLOAT
#define FAUSTFLOAT float
#endif

struct Meta {
  void declare(const char *, const char *) {}
};

// Finds parameters by their labels.
struct UI {
  struct Parameter {
    std::string name;
    FAUSTFLOAT *value;
  };
  std::vector<Parameter> parameters;

  void openVerticalBox(const char *) {}
  void closeBox() {}
  void declare(FAUSTFLOAT *, const char *, const char *) {}
  void addHorizontalSlider(
      const char *name, FAUSTFLOAT *value, FAUSTFLOAT, FAUSTFLOAT, FAUSTFLOAT, FAUSTFLOAT) {
    parameters.push_back({name, value});
  }
};

struct dsp {
  virtual ~dsp() {}
};

<<includeIntrinsic>>

<<includeclass>>

namespace {

constexpr int chunk = sound_chunk, rate = 48000;

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "Faust: %s\n", message.c_str());
  std::exit(1);
}

// A program with its rows of samples.
struct Instance {
  mydsp program;
  std::vector<float> inputs, outputs;
  std::vector<float *> inputRows, outputRows;
  int frames = 0;

  Instance(int frames, char **settings, int count)
      : inputs(static_cast<size_t>(program.getNumInputs()) * (chunk + 48)),
        outputs(static_cast<size_t>(program.getNumOutputs()) * (chunk + 48)), frames(frames) {
    program.init(rate);
    UI controls;
    program.buildUserInterface(&controls);
    for (int index = 0; index < count; index++) set(controls, settings[index]);
    // A gap between rows keeps them from meeting in one set of the cache.
    for (int row = 0; row < program.getNumInputs(); row++) inputRows.push_back(&inputs[row * (chunk + 48)]);
    for (int row = 0; row < program.getNumOutputs(); row++) outputRows.push_back(&outputs[row * (chunk + 48)]);
    batch_noise(inputs.data(), inputs.size());
  }

  static void set(UI &controls, const std::string &setting) {
    size_t equals = setting.find('=');
    for (auto &parameter : controls.parameters) {
      if (equals != std::string::npos && parameter.name == setting.substr(0, equals)) {
        *parameter.value = std::strtof(setting.c_str() + equals + 1, nullptr);
        return;
      }
    }
    fail("there is no parameter for '" + setting + "'");
  }

  void compute(int count) { program.compute(count, inputRows.data(), outputRows.data()); }
};

void time(double milliseconds, const char *sizes, char **settings, int count) {
  Instance instance(chunk, settings, count);
  while (*sizes) {
    char *end;
    long frames = std::strtol(sizes, &end, 10);
    if (end == sizes || frames < 1 || frames > chunk) fail("block sizes are 1 to 4096, with commas between them");
    sizes = *end == ',' ? end + 1 : end;
    instance.frames = static_cast<int>(frames);
    auto body = [](void *context) {
      auto instance = static_cast<Instance *>(context);
      instance->compute(instance->frames);
    };
    std::printf("%.3f\n", batch_median(body, &instance, milliseconds));
  }
}

void render(const char *from, const char *to, char **settings, int count) {
  Instance instance(chunk, settings, count);
  if (instance.program.getNumInputs() != sound_channels) fail("the program is not stereo");
  auto body = [](void *context, size_t frames) { static_cast<Instance *>(context)->compute(static_cast<int>(frames)); };
  const char *flaw = sound_render(from, to, instance.inputRows.data(), instance.outputRows.data(), body, &instance);
  if (flaw) fail(flaw);
}

}  // namespace

int main(int count, char **words) {
  batch_flush_denormals();
  if (count >= 4 && std::strcmp(words[1], "time") == 0) {
    time(std::strtod(words[2], nullptr), words[3], words + 4, count - 4);
  } else if (count >= 4 && std::strcmp(words[1], "file") == 0) {
    render(words[2], words[3], words + 4, count - 4);
  } else {
    fail("give time MILLISECONDS FRAMES or file INPUT OUTPUT, then NAME=VALUE");
  }
}
