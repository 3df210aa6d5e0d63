// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .strictMemorySafety(),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

let package = Package(
  name: "Legato",
  products: [
    .library(name: "Legato", targets: ["Legato"]),
    .executable(name: "legato", targets: ["LegatoTool"]),
    .executable(name: "legato-bench", targets: ["LegatoBench"]),
  ],
  targets: [
    // What is computed.
    module("GraphIR"),
    module("ModelFiles", ["GraphIR"]),
    module("ReferenceInterpreter", ["GraphIR"]),

    // How it is computed.
    module("GraphPasses", ["GraphIR"]),
    module("GraphPlanning", ["GraphIR", "GraphPasses"]),
    module("SVGDrawing"),
    module("ChartDrawing", ["SVGDrawing"]),
    module("SoundAnalysis"),
    module("GraphDrawing", ["GraphIR", "GraphPlanning", "SVGDrawing"]),
    module("LLVMText", ["GraphIR", "GraphPlanning"]),
    .target(name: "CLLVM"),
    .target(name: "CInstructionCache"),
    module(
      "NativeCode",
      ["CInstructionCache", "CLLVM", "GraphIR", "GraphPasses", "GraphPlanning", "LLVMText", "RealtimeCore"]),

    // What the audio thread touches.
    .target(name: "CRealtime"),
    module("RealtimeCore", ["CRealtime"]),

    // Sound in and out.
    .systemLibrary(
      name: "CSndFile", pkgConfig: "sndfile",
      providers: [.apt(["libsndfile1-dev"]), .yum(["libsndfile-devel"])]),
    .systemLibrary(
      name: "CSampleRate", pkgConfig: "samplerate",
      providers: [.apt(["libsamplerate0-dev"]), .yum(["libsamplerate-devel"])]),
    .systemLibrary(
      name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"]), .yum(["alsa-lib-devel"])]),
    .target(name: "CALSAMessages", dependencies: ["CALSA"]),
    .target(name: "CDeviceCalls", dependencies: ["CALSA"]),
    module(
      "AudioIO",
      ["CALSA", "CALSAMessages", "CDeviceCalls", "CSampleRate", "CSndFile", "RealtimeCore"]),

    // What is seen in a terminal.
    module("TerminalDrawing"),

    // Programs on devices.
    module("LiveEngine", ["RealtimeCore", "AudioIO", "CRealtime"]),

    // The public face, and the command.
    module(
      "Legato",
      [
        "GraphIR", "ModelFiles", "ReferenceInterpreter", "GraphDrawing", "GraphPasses", "GraphPlanning",
        "LLVMText",
        "NativeCode", "RealtimeCore",
      ]),
    .target(name: "CGetOpt"),
    .executableTarget(
      name: "LegatoTool",
      dependencies: [
        "CGetOpt", "Legato", "AudioIO", "ChartDrawing", "GraphIR", "LiveEngine", "NativeCode",
        "SoundAnalysis", "TerminalDrawing",
      ],
      swiftSettings: settings),

    // How fast it is.
    .target(name: "HandKernels", dependencies: ["CSndFile"], path: "Benchmarks/HandKernels"),
    .executableTarget(
      name: "LegatoBench",
      dependencies: [
        "AudioIO", "ChartDrawing", "GraphIR", "GraphPasses", "GraphPlanning", "HandKernels", "Legato",
        "LLVMText", "ModelFiles", "NativeCode", "RealtimeCore", "RealtimeWatch",
      ],
      path: "Benchmarks/LegatoBench", swiftSettings: settings),

    // What watches an audio thread, in tests and in the benchmark.
    .target(name: "CRealtimeWatch", path: "Tests/CRealtimeWatch"),
    .target(
      name: "RealtimeWatch", dependencies: ["CRealtimeWatch"], path: "Tests/RealtimeWatch",
      swiftSettings: settings),

    // What tests share.
    .target(name: "CInstructions", path: "Tests/CInstructions"),
    .target(
      name: "TestEquipment", dependencies: ["AudioIO", "CInstructions", "TerminalDrawing"],
      path: "Tests/TestEquipment",
      swiftSettings: settings),

    // A sound card without hardware.
    .target(name: "CScriptedClock", path: "Tests/CScriptedClock"),
    .target(
      name: "VirtualCards", dependencies: ["CScriptedClock", "TestEquipment"], path: "Tests/VirtualCards",
      resources: [.copy("Card")], swiftSettings: settings),

    tests("GraphIRTests", ["GraphIR", "RealtimeWatch", "TestEquipment"]),
    tests("ModelFilesTests", ["GraphIR", "ModelFiles", "TestEquipment"], resources: [.copy("malformed")]),
    tests(
      "GraphPassesTests", ["GraphIR", "GraphPasses", "ReferenceInterpreter", "TestEquipment"],
      resources: [.copy("golden")]),
    tests(
      "GraphPlanningTests", ["GraphIR", "GraphPasses", "GraphPlanning", "TestEquipment"],
      resources: [.copy("golden")]),
    tests(
      "GraphDrawingTests",
      ["GraphDrawing", "GraphIR", "GraphPasses", "GraphPlanning", "SVGDrawing", "TestEquipment"]),
    tests("SoundAnalysisTests", ["SoundAnalysis", "TestEquipment"]),
    tests("ChartDrawingTests", ["ChartDrawing", "SVGDrawing", "TestEquipment"]),
    tests("TerminalDrawingTests", ["TerminalDrawing", "TestEquipment"]),
    tests(
      "ReferenceInterpreterTests", ["ReferenceInterpreter", "GraphIR", "RealtimeWatch", "TestEquipment"]),
    tests("LLVMTextTests", ["LLVMText", "NativeCode", "GraphPlanning", "TestEquipment"]),
    tests("NativeCodeTests", ["NativeCode", "RealtimeCore", "GraphPlanning", "TestEquipment"]),
    tests("RealtimeCoreTests", ["RealtimeCore", "CRealtime", "TestEquipment"]),
    tests("RealtimeWatchTests", ["RealtimeWatch", "TestEquipment"]),
    tests("VirtualCardsTests", ["CALSA", "CALSAMessages", "TestEquipment", "VirtualCards"]),
    tests(
      "AudioIOTests",
      ["AudioIO", "CALSA", "CDeviceCalls", "RealtimeCore", "RealtimeWatch", "TestEquipment", "VirtualCards"]),
    tests(
      "LiveEngineTests",
      [
        "LiveEngine", "AudioIO", "Legato", "GraphIR", "NativeCode", "RealtimeCore", "RealtimeWatch",
        "TestEquipment", "VirtualCards",
      ]),
    tests(
      "LegatoTests",
      [
        "Legato", "ReferenceInterpreter", "ModelFiles", "GraphIR", "GraphPasses", "GraphPlanning",
        "RealtimeWatch", "SoundAnalysis", "TestEquipment",
      ],
      resources: [.copy("Regressions"), .copy("ObjectDriver")]),
    tests("LegatoBenchTests", ["LegatoBench", "GraphIR", "RealtimeWatch", "TestEquipment"]),
    tests(
      "CommandTests",
      [
        "LegatoTool", "AudioIO", "Legato", "LiveEngine", "RealtimeCore", "TerminalDrawing", "TestEquipment",
        "VirtualCards",
      ],
      resources: [.copy("golden")]),
  ]
)
