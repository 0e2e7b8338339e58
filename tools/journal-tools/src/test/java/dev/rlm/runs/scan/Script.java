package dev.rlm.runs.scan;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Deeds of an agent in a run, a step at a time. */
record Script(Run run) {
    /** Does something, which works. */
    Script does(String action, String code, String output) {
        try (Step step = run.startStep()) {
            step.action(action, code);
            step.complete(output);
        }
        return this;
    }

    /** Does something that fails. */
    Script fails(String action, String code, String error) {
        try (Step step = run.startStep()) {
            step.action(action, code);
            step.fail("", error);
        }
        return this;
    }

    /** Sees something, and does something then. */
    Script sees(String observation, String action, String code, String output) {
        try (Step step = run.startStep(observation)) {
            step.action(action, code);
            step.complete(output);
        }
        return this;
    }

    /** Calls a tool in a step of its own. */
    Script calls(String tool, String arguments, String result) {
        return calls(tool, 1, i -> arguments, result);
    }

    /** Calls a tool several times in one step. */
    Script calls(String tool, int times, IntFunction<String> arguments, String result) {
        try (Step step = run.startStep()) {
            step.action(tool, arguments.apply(0));
            for (int i = 0; i < times; i++) {
                try (ToolCall call = step.startToolCall(tool)) {
                    call.arguments(arguments.apply(i));
                    call.result(result);
                }
            }
            step.complete(result);
        }
        return this;
    }

    /** Calls a tool, which fails. */
    Script callFails(String tool, String arguments, int code, String error) {
        try (Step step = run.startStep()) {
            step.action(tool, arguments);
            try (ToolCall call = step.startToolCall(tool)) {
                call.arguments(arguments);
                call.fail(code, error);
            }
            step.fail("", error);
        }
        return this;
    }

    /** The model says something. */
    Script says(String text, String finishReason) {
        try (ModelCall call = run.startModelCall("test", "m")) {
            call.message("user", "Go on.").reply(text).finishReason(finishReason);
        }
        return this;
    }

    /** The model cannot be asked. */
    Script modelFails(String error) {
        try (ModelCall call = run.startModelCall("test", "m")) {
            call.message("user", "Go on.").fail(error);
        }
        return this;
    }

    void solves(@Nullable String answer) {
        run.reward(1);
        run.complete(answer);
    }

    void misses(@Nullable String answer) {
        run.reward(0);
        run.complete(answer);
    }
}
