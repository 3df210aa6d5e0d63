// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .strictMemorySafety(),
]

/// A module in its room, such as "Compiler/GraphIR": a folder below Sources, whose last part is the module's name. Its
/// README tells what lives there.
func module(
  _ room: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil,
  exclude: [String] = []
) -> Target {
  .target(
    name: name(room), dependencies: dependencies, path: "Sources/\(room)", exclude: ["README.md"] + exclude,
    resources: resources, swiftSettings: settings)
}

/// C that Swift calls.
func shim(_ room: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name(room), dependencies: dependencies, path: "Sources/\(room)")
}

/// A library of the system, with the names of its packages.
func system(_ room: String, pkgConfig: String, apt: String, yum: String) -> Target {
  .systemLibrary(
    name: name(room), path: "Sources/\(room)", pkgConfig: pkgConfig, providers: [.apt([apt]), .yum([yum])])
}

/// Tests, in a room below Tests that mirrors that of what they test.
func tests(_ room: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
  .testTarget(
    name: name(room), dependencies: dependencies, path: "Tests/\(room)", resources: resources,
    swiftSettings: settings)
}

/// What several tests use.
func equipment(_ room: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
  .target(
    name: name(room), dependencies: dependencies, path: "Tests/\(room)", resources: resources,
    swiftSettings: settings)
}

/// The last part of a room.
func name(_ room: String) -> String { String(room.split(separator: "/").last!) }

let package = Package(
  name: "Legato",
  products: [
    .library(name: "Legato", targets: ["Legato"]),
    .library(name: "FileRendering", targets: ["FileRendering"]),
    .library(name: "LegatoFederated", targets: ["LegatoFederated"]),
    .library(name: "LegatoTraining", targets: ["LegatoTraining"]),
    .library(name: "Listening", targets: ["Listening"]),
    .library(name: "LiveHost", targets: ["LiveHost"]),
    .library(name: "RealtimeCore", targets: ["RealtimeCore"]),
    .library(name: "StepRunning", targets: ["StepRunning"]),
    .executable(name: "legato", targets: ["LegatoTool"]),
    .executable(name: "legato-bench", targets: ["LegatoBench"]),
    .executable(name: "legato-motions", targets: ["Motions"]),
    .executable(name: "legato-voices", targets: ["VoicesTool"]),
  ],
  targets: [
    // The compiler: what is computed, how, and the code for it.
    module("Compiler/GraphIR"),
    system("Compiler/CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", yum: "zlib-devel"),
    module("Compiler/TensorFiles", ["CZlib", "GraphIR"]),
    system("Compiler/CPNG", pkgConfig: "libpng", apt: "libpng-dev", yum: "libpng-devel"),
    system(
      "Compiler/CTurboJPEG", pkgConfig: "libturbojpeg", apt: "libturbojpeg0-dev", yum: "turbojpeg-devel"),
    module("Compiler/ImageFiles", ["CPNG", "CTurboJPEG", "GraphIR", "TensorFiles"]),
    module("Compiler/JSONReading", ["GraphIR"]),
    module("Compiler/CaptureFiles", ["GraphIR", "JSONReading"]),
    module("Compiler/ProtobufWire"),
    module("Compiler/ONNXWriting", ["GraphIR", "ProtobufWire"]),
    module("Compiler/GraphGradients", ["GraphIR"]),
    module("Compiler/ONNXFiles", ["GraphGradients", "GraphIR", "ProtobufWire", "TensorFiles"]),
    module(
      "Compiler/ModelFiles",
      ["CaptureFiles", "GraphIR", "ImageFiles", "JSONReading", "ONNXFiles", "TensorFiles"]),
    module("Compiler/ReferenceInterpreter", ["GraphIR"]),
    module("Compiler/GraphPasses", ["GraphIR"]),
    module("Compiler/LoopAnalysis", ["GraphIR", "GraphPasses"]),
    module("Compiler/GraphPlanning", ["GraphIR", "GraphPasses"]),
    module("Compiler/LLVMText", ["GraphIR", "GraphPlanning"]),
    shim("Compiler/CLLVM"),
    shim("Compiler/CInstructionCache"),
    shim("Compiler/CRampText"),
    module(
      "Compiler/NativeCode",
      [
        "CInstructionCache", "CLLVM", "CRampText", "GraphIR", "GraphPasses", "GraphPlanning", "LLVMText",
        "RealtimeCore",
      ]),

    // What the audio thread touches.
    shim("Realtime/CRealtime"),
    module("Realtime/RealtimeCore", ["CRealtime"]),

    // Sound in and out.
    system("Devices/CSndFile", pkgConfig: "sndfile", apt: "libsndfile1-dev", yum: "libsndfile-devel"),
    system(
      "Devices/CSampleRate", pkgConfig: "samplerate", apt: "libsamplerate0-dev", yum: "libsamplerate-devel"),
    system("Devices/CALSA", pkgConfig: "alsa", apt: "libasound2-dev", yum: "alsa-lib-devel"),
    shim("Devices/CALSAMessages", ["CALSA"]),
    shim("Devices/CDeviceCalls", ["CALSA"]),
    module(
      "Devices/AudioIO",
      ["CALSA", "CALSAMessages", "CDeviceCalls", "CSampleRate", "CSndFile", "RealtimeCore"]),

    // Programs at work.
    module("Host/LiveEngine", ["CRealtime", "RealtimeCore"]),
    module("Host/LiveHost", ["AudioIO", "GraphIR", "Legato", "LiveEngine", "RealtimeCore"]),
    module("Host/FileRendering", ["AudioIO", "GraphIR", "Legato", "NativeCode", "RealtimeCore"]),
    module("Host/StepRunning", ["AudioIO", "GraphIR", "Legato", "RealtimeCore", "TensorFiles"]),
    module("Host/Listening", ["AudioIO", "GraphIR", "Legato"]),
    module("Host/SoundMeasuring", ["AudioIO", "Legato", "RealtimeCore", "SoundAnalysis"]),

    // What is seen.
    module("Drawing/SVGDrawing"),
    module("Drawing/ChartDrawing", ["SVGDrawing"]),
    module("Drawing/BoxLayout", ["SVGDrawing"]),
    module("Drawing/GraphDrawing", ["BoxLayout", "GraphIR", "GraphPlanning", "SVGDrawing"]),
    module("Drawing/TerminalDrawing"),
    module("Drawing/LiveDrawing", ["LiveEngine", "LiveHost", "RealtimeCore", "TerminalDrawing"]),
    module("Drawing/SoundAnalysis"),
    module(
      "Drawing/SoundPictures",
      ["AudioIO", "ChartDrawing", "GraphIR", "Legato", "SoundAnalysis", "SoundMeasuring"]),

    // The public face, and the command.
    module(
      "Legato",
      [
        "CaptureFiles", "GraphDrawing", "GraphGradients", "GraphIR", "GraphPasses", "GraphPlanning",
        "ImageFiles",
        "JSONReading",
        "LLVMText", "LoopAnalysis",
        "ModelFiles", "NativeCode", "ONNXWriting", "RealtimeCore", "ReferenceInterpreter", "TensorFiles",
      ]),

    // What learns.
    module(
      "Training/LegatoTraining",
      [
        "AudioIO", "GraphGradients", "GraphIR", "Legato", "Listening", "ModelFiles", "ONNXWriting",
        "RealtimeCore", "SoundAnalysis", "TensorFiles",
      ]),
    module("Drawing/LearningPictures", ["ChartDrawing", "GraphIR", "LegatoTraining"]),
    system("Training/CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev", yum: "openssl-devel"),
    system("Training/CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", yum: "libcurl-devel"),
    module(
      "Training/LegatoFederated",
      [
        "AudioIO", "CCrypto", "CCurl", "JSONReading", "Legato", "LegatoTraining", "ProtobufWire",
        "TensorFiles",
      ]),

    module("Tool/InterfaceWriting", ["GraphIR", "ImageFiles", "Legato", "RealtimeCore"]),
    shim("Tool/CGetOpt"),
    module("Tool/CommandLineInterface", ["AudioIO", "CGetOpt", "GraphIR", "LiveEngine", "TerminalDrawing"]),
    .executableTarget(
      name: "LegatoTool",
      dependencies: [
        "AudioIO", "ChartDrawing", "CommandLineInterface", "FileRendering", "GraphIR", "InterfaceWriting",
        "LearningPictures", "Legato", "LiveDrawing", "LegatoFederated", "LegatoTraining", "Listening",
        "LiveEngine",
        "LiveHost", "ONNXWriting", "RealtimeCore", "SoundAnalysis", "SoundMeasuring", "SoundPictures",
        "StepRunning", "TerminalDrawing",
      ],
      path: "Sources/Tool/LegatoTool", exclude: ["README.md"], swiftSettings: settings),

    // Whole programs that learn.
    module(
      "Examples/Voices",
      [
        "AudioIO", "CommandLineInterface", "GraphIR", "Legato", "LegatoTraining", "TensorFiles",
        "TerminalDrawing",
      ],
      resources: [.copy("Embedded")], exclude: ["Scripts"]),
    .executableTarget(
      name: "VoicesTool", dependencies: ["CommandLineInterface", "Voices"],
      path: "Sources/Examples/VoicesTool",
      exclude: ["README.md"], swiftSettings: settings),
    .executableTarget(
      name: "Motions", dependencies: ["Legato", "Listening"], path: "Sources/Examples/Motions",
      exclude: ["README.md", "Scripts", "activity.json", "learning.json"], swiftSettings: settings),

    // How fast it is.
    .target(name: "HandKernels", dependencies: ["CSndFile"], path: "Benchmarks/HandKernels"),
    .executableTarget(
      name: "LegatoBench",
      dependencies: [
        "AudioIO", "CRealtime", "ChartDrawing", "CommandLineInterface", "GraphIR", "GraphPasses",
        "GraphPlanning", "HandKernels",
        "Legato", "LegatoTraining",
        "LLVMText", "ModelFiles", "NativeCode", "RealtimeCore", "RealtimeWatch",
      ],
      path: "Benchmarks/LegatoBench", swiftSettings: settings),

    // What watches an audio thread, in tests and in the benchmark.
    .target(name: "CRealtimeWatch", path: "Tests/Realtime/CRealtimeWatch"),
    equipment("Realtime/RealtimeWatch", ["CRealtimeWatch"]),

    // What tests share.
    .systemLibrary(name: "CTLS", path: "Tests/Training/CTLS", pkgConfig: "libssl"),
    .target(name: "CInstructions", path: "Tests/Equipment/CInstructions"),
    equipment("Equipment/TestEquipment", ["AudioIO", "CInstructions", "TerminalDrawing"]),

    // A sound card without hardware.
    .target(name: "CScriptedClock", path: "Tests/Devices/CScriptedClock"),
    equipment("Devices/VirtualCards", ["CScriptedClock", "TestEquipment"], resources: [.copy("Card")]),

    tests("Compiler/GraphIRTests", ["GraphIR", "RealtimeWatch", "TestEquipment"]),
    tests(
      "Compiler/TensorFilesTests", ["GraphIR", "TensorFiles", "TestEquipment"], resources: [.copy("files")]),
    tests(
      "Compiler/ImageFilesTests", ["GraphIR", "ImageFiles", "TensorFiles", "TestEquipment"],
      resources: [.copy("files")]),
    tests(
      "Compiler/CaptureFilesTests",
      ["CaptureFiles", "GraphIR", "JSONReading", "ModelFiles", "ReferenceInterpreter", "TestEquipment"],
      resources: [.copy("reference")]),
    tests("Compiler/ProtobufWireTests", ["ProtobufWire"]),
    tests(
      "Compiler/ONNXFilesTests",
      [
        "GraphIR", "GraphPasses", "Legato", "ModelFiles", "ONNXFiles", "ONNXWriting", "ProtobufWire",
        "ReferenceInterpreter", "RealtimeCore", "TestEquipment",
      ],
      resources: [.copy("reference")]),
    tests("Compiler/ONNXWritingTests", ["GraphIR", "ONNXWriting", "ProtobufWire"]),
    tests("Compiler/JSONReadingTests", ["GraphIR", "JSONReading", "TestEquipment"]),
    tests(
      "Compiler/ModelFilesTests",
      ["GraphIR", "ImageFiles", "JSONReading", "ModelFiles", "TensorFiles", "TestEquipment"],
      resources: [.copy("malformed")]),
    tests(
      "Compiler/GraphPassesTests", ["GraphIR", "GraphPasses", "ReferenceInterpreter", "TestEquipment"],
      resources: [.copy("golden")]),
    equipment(
      "Compiler/GradientEquipment", ["GraphGradients", "GraphIR", "ReferenceInterpreter", "TestEquipment"]),
    tests(
      "Compiler/GraphGradientsTests",
      ["GradientEquipment", "GraphGradients", "GraphIR", "ReferenceInterpreter", "TestEquipment"]),
    tests(
      "Compiler/LoopAnalysisTests",
      ["GraphIR", "GraphPasses", "LoopAnalysis", "ReferenceInterpreter", "TestEquipment"]),
    tests(
      "Compiler/GraphPlanningTests", ["GraphIR", "GraphPasses", "GraphPlanning", "TestEquipment"],
      resources: [.copy("golden")]),
    tests("Drawing/BoxLayoutTests", ["BoxLayout", "SVGDrawing", "TestEquipment"]),
    tests(
      "Drawing/GraphDrawingTests",
      [
        "BoxLayout", "GraphDrawing", "GraphIR", "GraphPasses", "GraphPlanning", "SVGDrawing", "TestEquipment",
      ]),
    tests("Drawing/LearningPicturesTests", ["ChartDrawing", "LearningPictures", "LegatoTraining"]),
    tests("Drawing/SoundPicturesTests", ["SoundPictures"]),
    tests("Drawing/SoundAnalysisTests", ["SoundAnalysis", "TestEquipment"]),
    tests("Drawing/ChartDrawingTests", ["ChartDrawing", "SVGDrawing", "TestEquipment"]),
    tests("Drawing/TerminalDrawingTests", ["TerminalDrawing", "TestEquipment"]),
    tests(
      "Drawing/LiveDrawingTests", ["LiveDrawing", "LiveHost", "TerminalDrawing", "TestEquipment"],
      resources: [.copy("golden")]),
    tests(
      "Compiler/ReferenceInterpreterTests",
      ["ReferenceInterpreter", "GraphIR", "RealtimeWatch", "TestEquipment"]),
    tests("Compiler/LLVMTextTests", ["LLVMText", "NativeCode", "GraphPlanning", "TestEquipment"]),
    tests("Compiler/NativeCodeTests", ["NativeCode", "RealtimeCore", "GraphPlanning", "TestEquipment"]),
    tests("Realtime/RealtimeCoreTests", ["RealtimeCore", "CRealtime", "TestEquipment"]),
    tests("Realtime/RealtimeWatchTests", ["RealtimeWatch", "TestEquipment"]),
    tests("Devices/VirtualCardsTests", ["CALSA", "CALSAMessages", "TestEquipment", "VirtualCards"]),
    tests(
      "Devices/AudioIOTests",
      [
        "AudioIO", "CALSA", "CDeviceCalls", "CSndFile", "RealtimeCore", "RealtimeWatch", "TestEquipment",
        "VirtualCards",
      ]),
    equipment("Host/LiveEquipment", ["GraphIR", "Legato", "RealtimeCore", "TestEquipment"]),
    tests(
      "Host/FileRenderingTests", ["FileRendering", "AudioIO", "Legato", "RealtimeCore", "TestEquipment"]),
    tests("Host/StepRunningTests", ["StepRunning", "TestEquipment"]),
    tests("Host/ListeningTests", ["AudioIO", "Legato", "Listening", "TestEquipment", "VirtualCards"]),
    tests(
      "Host/LiveEngineTests",
      [
        "LiveEngine", "AudioIO", "Legato", "LiveEquipment", "RealtimeCore", "RealtimeWatch", "TestEquipment",
      ]),
    tests(
      "Host/LiveHostTests",
      [
        "LiveHost", "LiveEngine", "AudioIO", "Legato", "LiveEquipment", "RealtimeCore", "RealtimeWatch",
        "TestEquipment",
        "VirtualCards",
      ]),
    equipment("Legato/LegatoEquipment", ["Legato"]),
    tests(
      "Legato/LegatoTests",
      [
        "CRealtime", "GradientEquipment", "GraphGradients", "GraphIR", "GraphPasses", "GraphPlanning",
        "Legato", "LegatoEquipment", "ModelFiles", "RealtimeWatch", "ReferenceInterpreter", "SoundAnalysis",
        "TensorFiles", "TestEquipment", "VirtualCards",
      ],
      resources: [
        .copy("Laws/Regressions"), .copy("Layers/reference"), .copy("Effects/circuit"),
        .copy("Objects/ObjectDriver"),
      ]),
    tests(
      "Legato/SanitizedTests",
      ["GraphIR", "Legato", "LegatoEquipment", "RealtimeCore", "TestEquipment"]),
    tests(
      "Training/LegatoTrainingTests",
      [
        "AudioIO", "GraphIR", "Legato", "LegatoTraining", "Listening", "RealtimeCore", "RealtimeWatch",
        "TestEquipment",
      ],
      resources: [.copy("reference")]),
    tests(
      "Training/LegatoFederatedTests",
      ["CTLS", "Legato", "LegatoFederated", "LegatoTraining", "ProtobufWire", "TestEquipment"],
      resources: [.copy("reference")]),
    tests(
      "Examples/VoicesTests",
      [
        "CommandLineInterface", "Legato", "Listening", "TerminalDrawing", "TestEquipment", "VirtualCards",
        "Voices",
      ],
      resources: [.copy("reference")]),
    tests("Benchmark/LegatoBenchTests", ["LegatoBench", "GraphIR", "RealtimeWatch", "TestEquipment"]),
    tests("Tool/InterfaceWritingTests", ["InterfaceWriting", "Legato"]),
    tests(
      "Tool/CommandLineInterfaceTests", ["AudioIO", "CommandLineInterface", "FileRendering", "TestEquipment"]),
    tests(
      "Tool/CommandTests",
      [
        "LegatoTool", "AudioIO", "CommandLineInterface", "FileRendering", "GraphIR", "Legato",
        "LegatoTraining", "LiveEngine", "LiveHost", "Motions", "RealtimeCore", "TensorFiles",
        "TerminalDrawing", "TestEquipment",
        "VirtualCards",
      ]),
  ]
)

// Typed Swift for the models of a target. What a plugin calls is built once more, with all that it needs: only packages
// that depend on this one have the plugin, from a checkout, or where the environment asks for it; the name of an artifact
// bundle in this folder stands for a tool that is there already.
let isCheckout = Context.packageDirectory.contains("/checkouts/")
let asked = isCheckout ? "1" : Context.environment["LEGATO_PLUGIN"] ?? ""
let hasTool = asked.hasSuffix(".artifactbundle")
if asked == "1" || hasTool {
  if hasTool { package.targets.append(.binaryTarget(name: "BuiltTool", path: asked)) }
  let tool: Target.Dependency = hasTool ? "BuiltTool" : "LegatoTool"
  package.targets.append(
    .plugin(
      name: "LegatoModels", capability: .buildTool(), dependencies: [tool],
      path: "Sources/Tool/LegatoModels", exclude: ["README.md"]))
  package.products.append(.plugin(name: "LegatoModels", targets: ["LegatoModels"]))
}

// The tests that the environment names, with what they need and nothing else: `.ci/run` builds these once more for each
// sanitizer.
if let tests = Context.environment["LEGATO_TESTS"]?.split(separator: ",").map(String.init) {
  var needed = Set(tests)
  // A target stands behind those that it depends on.
  for target in package.targets.reversed() where needed.contains(target.name) {
    for case .byNameItem(let name, _) in target.dependencies { needed.insert(name) }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products.removeAll()
}

// What the tests wait for is optimised in debug builds, too: the compiler, the readers to which damaged files are given by
// the thousand, the double-precision interpreter that nearly every law is judged by, Fourier's transform, what tests share,
// and their sound card. A package that depends on a version of this one may not have such flags.
if !isCheckout {
  let busy = [
    "GraphIR", "GraphPasses", "GraphPlanning", "JSONReading", "LLVMText", "LoopAnalysis", "ONNXFiles",
    "ReferenceInterpreter", "SoundAnalysis", "TensorFiles", "TestEquipment", "VirtualCards",
  ]
  for target in package.targets where busy.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
  }
}
