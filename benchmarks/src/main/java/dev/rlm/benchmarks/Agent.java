package dev.rlm.benchmarks;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Usage;

/**
 * An agent that records what agents record: in each step a model's call with its messages, a tool's call, a reward and an
 * output, in the run's and the step's scope. Its texts are made beforehand, so that a step costs what recording costs,
 * and what the given work does. Used by one thread.
 */
public final class Agent {
    /** The environment that its runs name. */
    public static final String ENVIRONMENT = "benchmark";

    private static final int EVENTS_A_STEP = 5;
    private static final int EVENTS_A_RUN = 3;

    private final int steps;
    private final Runnable work;
    private final String task;
    private final String instructions;
    private final String reply;
    private final String code;
    private final String arguments;
    private final String result;
    private final String output;

    /** An agent whose runs have so many steps, and that does this work in each. */
    public Agent(long seed, int steps, Runnable work) {
        Texts texts = new Texts(seed);
        this.steps = steps;
        this.work = work;
        task = texts.prose(400);
        instructions = texts.prose(1_500);
        reply = texts.prose(600);
        code = texts.code(400);
        arguments = texts.json(200);
        result = texts.json(300);
        output = texts.prose(800);
    }

    /** Returns the number of events of a run. */
    public int events() {
        return steps * EVENTS_A_STEP + EVENTS_A_RUN;
    }

    /** Does a run, and tells its id. */
    public String run(Sinks sinks) {
        RunSpec spec = RunSpec.builder(ENVIRONMENT)
                .task(task)
                .model("model")
                .maxSteps(steps)
                .build();
        try (Run run = sinks.startRun(spec);
                Scope ignored = run.makeCurrent()) {
            for (int i = 0; i < steps; i++) {
                step(run);
            }
            run.reward(1.0);
            run.complete(reply);
        }
        return spec.runId();
    }

    /** Does one step of a run. */
    public void step(Run run) {
        try (Step step = run.startStep(output);
                Scope ignored = step.makeCurrent()) {
            callModel(step);
            step.action("run_python", code);
            work.run();
            callTool(step);
            step.reward(0.1);
            step.complete(output);
        }
    }

    private void callModel(Step step) {
        try (ModelCall call = step.startModelCall("provider", "model")) {
            call.parameter("temperature", 0.7)
                    .message("system", instructions)
                    .message("user", task)
                    .message("assistant", reply)
                    .message("user", output);
            call.reply(reply).usage(new Usage(900L, 150L, null, null)).finishReason("stop");
        }
    }

    private void callTool(Step step) {
        try (ToolCall call = step.startToolCall("search")) {
            call.arguments(arguments).result(result);
        }
    }
}
