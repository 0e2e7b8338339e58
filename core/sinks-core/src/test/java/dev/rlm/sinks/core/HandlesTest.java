package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.MessageParts;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The handles that a hub gives, none of whose methods may be the interface's that records nothing. */
class HandlesTest {
    /** Defaults that call a method that records. */
    private static final Set<String> SHORT_FORMS = Set.of(
            "Sinks.run(RunSpec,Work)",
            "Sinks.call(RunSpec,Computation)",
            "Sinks.span(String)",
            "Activity.span(String)",
            "Run.span(String)",
            "Step.span(String)",
            "Span.span(String)",
            "Evaluation.span(String)",
            "Run.step(String,Work)",
            "Run.callStep(String,Computation)",
            "Step.step(String,Work)",
            "Step.callStep(String,Computation)",
            "Run.startStep()",
            "Run.reward(double)",
            "Run.complete(String)",
            "Run.fail(Throwable)",
            "Step.reward(double)",
            "Step.fail(String)",
            "Evaluation.reward(double)");

    @Test
    void everyMethodOfAHandle_records() {
        List<String> inherited = new ArrayList<>();
        try (Sinks sinks = Sinks.builder().add("recorder", new Recorder()).build();
                Run run = sinks.startRun(RunSpec.builder("env").build());
                Step step = run.startStep();
                Span span = step.span("work");
                Evaluation evaluation = step.startEvaluation("judge");
                ToolCall tool = step.startToolCall("tool");
                ModelCall model = step.startModelCall("provider", "model")) {
            inherited.addAll(inherited(sinks, Sinks.class));
            inherited.addAll(inherited(run, Run.class));
            inherited.addAll(inherited(step, Step.class));
            inherited.addAll(inherited(span, Span.class));
            inherited.addAll(inherited(evaluation, Evaluation.class));
            inherited.addAll(inherited(tool, ToolCall.class));
            inherited.addAll(inherited(model, ModelCall.class));
            model.messageParts("user", parts -> inherited.addAll(inherited(parts, MessageParts.class)));
            inherited.addAll(inherited(run, Activity.class));
        }
        assertThat(inherited).containsExactlyInAnyOrderElementsOf(SHORT_FORMS);
    }

    /** The interface's methods that the handle has not made its own. */
    private static List<String> inherited(Object handle, Class<?> type) {
        List<String> inherited = new ArrayList<>();
        for (Method method : type.getMethods()) {
            if (!Modifier.isStatic(method.getModifiers())
                    && own(handle, method).getDeclaringClass().getPackage() == type.getPackage()) {
                String parameters = Stream.of(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(","));
                inherited.add(type.getSimpleName() + "." + method.getName() + "(" + parameters + ")");
            }
        }
        return inherited;
    }

    private static Method own(Object handle, Method method) {
        try {
            return handle.getClass().getMethod(method.getName(), method.getParameterTypes());
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }
}
