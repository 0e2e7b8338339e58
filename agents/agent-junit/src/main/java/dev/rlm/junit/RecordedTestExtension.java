package dev.rlm.junit;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Correlation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.opentest4j.TestAbortedException;

/** Executes {@link RecordedTest}s. */
final class RecordedTestExtension implements TestTemplateInvocationContextProvider {
    private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace.create(RecordedTest.class);

    /** Variables of services that build pull requests: the branch, and the commit. */
    private static final List<String> BRANCH =
            List.of("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "BRANCH_NAME");

    private static final List<String> COMMIT = List.of("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT");

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        Method method = context.getRequiredTestMethod();
        RecordedTest test = method.getAnnotation(RecordedTest.class);
        int rollouts = test == null ? 1 : test.rollouts();
        int mustPass = test == null || test.mustPass() < 0 ? rollouts : test.mustPass();
        if (rollouts < 1 || mustPass > rollouts) {
            throw new ExtensionConfigurationException(
                    method + ": rollouts must be at least 1, and mustPass at most as many, were " + rollouts + " and "
                            + mustPass);
        }
        Passed passed = new Passed(rollouts, mustPass, new AtomicInteger(), new AtomicInteger());
        String environment = test == null || test.environment().isEmpty()
                ? context.getRequiredTestClass().getSimpleName()
                : test.environment();
        return IntStream.range(0, rollouts).mapToObj(rollout -> new Rollout(environment, rollout, passed));
    }

    /** Counts the rollouts of a test. */
    private record Passed(int rollouts, int mustPass, AtomicInteger over, AtomicInteger passed) {
        /** Takes what became of one: throws what is to become of its test. */
        void take(@Nullable Throwable error) throws Throwable {
            int all = over.incrementAndGet();
            int good = error == null ? passed.incrementAndGet() : passed.get();
            boolean may = mustPass < rollouts;
            if (all == rollouts && good < mustPass) {
                throw may
                        ? new AssertionError(good + " of " + rollouts + " rollouts passed, expected " + mustPass, error)
                        : error == null ? new AssertionError(good + " of " + rollouts + " rollouts passed") : error;
            } else if (error != null) {
                throw may ? new TestAbortedException("this rollout did not pass: " + error.getMessage(), error) : error;
            }
        }
    }

    /** One execution of a test. */
    private record Rollout(String environment, int number, Passed passed)
            implements TestTemplateInvocationContext, InvocationInterceptor, ParameterResolver {
        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(this);
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Run.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return recording(context).shown();
        }

        @Override
        public void interceptTestTemplateMethod(
                Invocation<@Nullable Void> invocation,
                ReflectiveInvocationContext<Method> method,
                ExtensionContext context)
                throws Throwable {
            Recording recording = recording(context);
            Throwable error = null;
            try (Scope scope = recording.run().makeCurrent()) {
                invocation.proceed();
            } catch (Throwable e) {
                error = e;
            }
            recording.end(error);
            passed.take(error);
        }

        private Recording recording(ExtensionContext context) {
            return once(context, Recording.class, () -> Recording.start(spec(context), hub(context)));
        }

        private RunSpec spec(ExtensionContext context) {
            String test = context.getRequiredTestClass().getSimpleName() + "."
                    + context.getRequiredTestMethod().getName();
            RunSpec.Builder spec = RunSpec.builder(environment)
                    .task(test)
                    .correlation(Correlation.builder()
                            .sample(test)
                            .trajectoryIndex(number)
                            .split("test")
                            .codeVersion(first(COMMIT))
                            .build());
            String branch = first(BRANCH);
            if (branch != null) {
                spec.tag("branch", branch);
            }
            return spec.build();
        }

        private static @Nullable String first(List<String> variables) {
            return variables.stream()
                    .map(System::getenv)
                    .filter(value -> value != null && !value.isBlank())
                    .findFirst()
                    .orElse(null);
        }

        private static Sinks hub(ExtensionContext context) {
            return once(context.getRoot(), Hub.class, Hub::open).sinks();
        }

        /** Returns what is kept in a context, made where nothing is: what stores have for that differs between JUnit 5 and 6. */
        private static <T> T once(ExtensionContext context, Class<T> type, Supplier<T> made) {
            ExtensionContext.Store store = context.getStore(STORE);
            synchronized (STORE) {
                T kept = store.get(type, type);
                if (kept == null) {
                    kept = made.get();
                    store.put(type, kept);
                }
                return kept;
            }
        }
    }

    /** The hub of all tests: of the environment's sinks; the journal is in the folder of the build unless that says another. */
    private record Hub(Sinks sinks) implements AutoCloseable {
        private static final String DIRECTORY = "RLM_JSONL_DIR";

        static Hub open() {
            SinkConfig config = SinkConfig.system();
            String build = Stream.of("target", "build")
                    .filter(folder -> Files.isDirectory(Path.of(folder)))
                    .findFirst()
                    .map(folder -> folder + "/rlm")
                    .orElse(".rlm");
            SinkConfig chosen = config.shared().path(DIRECTORY).isPresent() ? config : config.with(DIRECTORY, build);
            return new Hub(Sinks.builder().config(chosen).closeAtShutdown().build());
        }

        @Override
        public void close() {
            sinks.close();
        }
    }

    /** The run of an execution. */
    private record Recording(Run run, Run shown, AtomicInteger rewards) {
        private static final Set<String> REWARDS = Set.of("reward", "rewardAbsent", "startEvaluation");

        static Recording start(RunSpec spec, Sinks sinks) {
            Run run = sinks.startRun(spec);
            AtomicInteger rewards = new AtomicInteger();
            Object shown = Proxy.newProxyInstance(
                    Run.class.getClassLoader(), new Class<?>[] {Run.class}, (self, method, arguments) -> {
                        if (REWARDS.contains(method.getName())) {
                            rewards.incrementAndGet();
                        }
                        try {
                            return method.invoke(run, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
            return new Recording(run, (Run) shown, rewards);
        }

        void end(@Nullable Throwable error) {
            if (error instanceof TestAbortedException) {
                run.abort("the test was skipped: " + error.getMessage());
            } else if (error == null || error instanceof AssertionError) {
                if (rewards.get() == 0) {
                    run.reward("test", error == null ? 1 : 0, List.of());
                }
                run.complete(null, error == null ? "passed" : "assertion_failed");
            } else {
                run.fail(error);
            }
        }
    }
}
