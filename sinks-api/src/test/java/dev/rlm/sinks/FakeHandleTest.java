package dev.rlm.sinks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.TraceContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Stand-ins of users for the recording interfaces, in a test of an agent's own. */
class FakeHandleTest {
    @Test
    void fakeStep_isFoundByTheAgent_alsoOnAnotherThread_untilItsScopeIsClosed() throws Exception {
        FakeStep step = new FakeStep();
        Callable<String> task;
        try (Scope scope = step.makeCurrent()) {
            new Agent().answer("2 + 2");
            task = Scope.wrap(() -> {
                new Agent().answer("elsewhere");
                return "done";
            });
        }
        Activity.current().startToolCall("nobody's");
        assertThat(Activity.current().isRecording()).isFalse();

        assertThat(CompletableFuture.supplyAsync(() -> called(task)).get()).isEqualTo("done");
        assertThat(step.calls).containsExactly("calculator", "calculator");
        assertThat(step.completed).containsExactly("2 + 2", "elsewhere");
    }

    @Test
    void scopes_nest_andTellTheTraceOfWhatIsInside() {
        TraceContext trace = new TraceContext("00-" + "a".repeat(32) + "-" + "b".repeat(16) + "-01", null, null);
        FakeStep outer = new FakeStep();
        FakeStep inner = new FakeStep();
        List<String> closed = new ArrayList<>();
        Scope ofTracer = new Scope() {
            @Override
            public Optional<TraceContext> traceContext() {
                return Optional.of(trace);
            }

            @Override
            public void close() {
                closed.add("inner");
            }
        };
        try (Scope around = Scope.open(outer, Scope.NONE)) {
            try (Scope within = Scope.open(inner, ofTracer)) {
                assertThat(Activity.current()).isSameAs(inner);
                assertThat(within.traceContext()).contains(trace);
            }
            assertThat(closed).containsExactly("inner");
            assertThat(Activity.current()).isSameAs(outer);
        }
    }

    private static String called(Callable<String> task) {
        try {
            return task.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** An agent that is handed nothing. */
    private static final class Agent {
        void answer(String question) {
            Activity here = Activity.current();
            try (ToolCall call = here.startToolCall("calculator")) {
                call.arguments(question);
            }
            if (here instanceof Step step) {
                step.complete(question);
            }
        }
    }

    private static final class FakeStep implements Step {
        private final List<String> calls = new ArrayList<>();
        private final List<String> completed = new ArrayList<>();

        @Override
        public ToolCall startToolCall(String tool) {
            calls.add(tool);
            return ToolCall.NOOP;
        }

        @Override
        public void complete(String output) {
            completed.add(output);
        }

        @Override
        public Scope makeCurrent() {
            return Scope.open(this, Scope.NONE);
        }

        @Override
        public boolean isRecording() {
            return true;
        }
    }
}
