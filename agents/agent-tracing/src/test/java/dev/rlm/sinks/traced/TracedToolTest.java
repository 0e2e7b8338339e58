package dev.rlm.sinks.traced;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.testkit.InMemorySink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TracedToolTest {
    private final InMemorySink sink = new InMemorySink();
    private final Sinks sinks =
            Sinks.builder().add("recorder", sink).secret("a-secret-value").build();
    private final Run run = sinks.startRun(RunSpec.builder("env").build());
    private final Step step = run.startStep();

    @AfterEach
    void close() {
        sinks.close();
    }

    private List<ToolCalled> calls() {
        sinks.close();
        return sink.events(ToolCalled.class);
    }

    private ToolCalled call() {
        sinks.close();
        return sink.only(ToolCalled.class);
    }

    /** What is recorded of a value that a tool is given. */
    private String recorded(@Nullable Object value) {
        try (Scope scope = step.makeCurrent()) {
            assertThat(Traced.tool("t", (Object any) -> "").apply(value)).isEmpty();
        }
        List<ToolCalled> calls = calls();
        return calls.get(calls.size() - 1).arguments().text();
    }

    // ---- functions

    @Test
    void function_isRecordedWhereItIsCalled() {
        Function<String, Integer> length = Traced.tool("length", String::length);
        assertThat(length.apply("nowhere")).isEqualTo(7);
        try (Scope scope = step.makeCurrent()) {
            assertThat(length.apply("here, a-secret-value")).isEqualTo(20);
        }

        assertThat(call().tool()).isEqualTo("length");
        assertThat(call().provider()).isEqualTo(ToolCalled.FUNCTION);
        assertThat(call().step()).isEqualTo(1);
        assertThat(call().arguments().text()).startsWith("here, [REDACTED:");
        assertThat(call().result().text()).isEqualTo("20");
        assertThat(call().failed()).isFalse();
        assertThat(call().nanos()).isGreaterThanOrEqualTo(call().startNanos());
    }

    @Test
    void functionsOfTwoAndOfNoArguments_areRecorded() {
        BiFunction<Integer, Integer, Integer> add = Traced.tool("add", (Integer a, Integer b) -> a + b);
        Supplier<String> now = Traced.tool("now", () -> "noon");
        try (Scope scope = step.makeCurrent()) {
            assertThat(add.apply(1, 2)).isEqualTo(3);
            assertThat(now.get()).isEqualTo("noon");
        }

        assertThat(calls()).extracting(ToolCalled::tool).containsExactly("add", "now");
        assertThat(calls()).extracting(call -> call.arguments().text()).containsExactly("[1,2]", "");
        assertThat(calls()).extracting(call -> call.result().text()).containsExactly("3", "noon");
    }

    @Test
    void functionThatThrows_throwsTheSameAndIsRecordedAsFailed() {
        RuntimeException error = new IllegalStateException("no a-secret-value");
        Function<String, String> failing = Traced.tool("failing", (String any) -> {
            throw error;
        });
        try (Scope scope = step.makeCurrent()) {
            assertThatThrownBy(() -> failing.apply("x")).isSameAs(error).hasNoSuppressedExceptions();
        }

        assertThat(call().statusCode()).isEqualTo(RunStatus.INTERNAL);
        assertThat(String.valueOf(call().error()))
                .startsWith("java.lang.IllegalStateException: no [REDACTED:")
                .doesNotContain("a-secret-value");
    }

    @Test
    void mapsAndListsOfTools_areTracedUnderTheirNames() {
        Map<String, Function<String, String>> plain = new LinkedHashMap<>();
        plain.put("upper", text -> text.toUpperCase(java.util.Locale.ROOT));
        plain.put("twice", text -> text + text);
        Map<String, Function<String, String>> functions = Traced.tools(plain);
        Map<String, Search> byKey = Traced.tools(Search.class, Map.of("web", new Web("web")));
        List<Search> byName = Traced.tools(Search.class, List.of(new Web("news"), new Web("books")), Search::name);
        assertThat(functions.keySet()).containsExactly("upper", "twice");
        try (Scope scope = step.makeCurrent()) {
            assertThat(functions.values()).extracting(tool -> tool.apply("a")).containsExactly("A", "aa");
            assertThat(byKey.values()).extracting(search -> search.find("b")).containsExactly("web: b");
            byName.forEach(search -> search.find(search.name()));
        }

        assertThat(calls()).extracting(ToolCalled::tool).containsExactly("upper", "twice", "web", "news", "books");
        assertThat(calls()).extracting(call -> call.arguments().text()).containsExactly("a", "a", "b", "news", "books");
    }

    // ---- shapes

    private static final ToolShape<Request, Found> SHAPE = ToolShape.of(
            Request.class,
            Found.class,
            (request, call) -> call.callId(request.id()).arguments(request.json()),
            (found, call) -> call.result(String.join(" ", found.titles())));

    @Test
    void shape_saysWhatIsRecorded_ofAllKindsOfTools() {
        Request request = new Request("c1", "{}");
        Lookup lookup = asked -> new Found(List.of("a", "b"));
        Function<Request, Found> function = Traced.tool("function", lookup::find, SHAPE);
        Lookup single = Traced.tool("single", Lookup.class, lookup, SHAPE);
        Map<String, Function<Request, Found>> functions =
                Traced.tools(Map.<String, Function<Request, Found>>of("mapped", lookup::find), SHAPE);
        Map<String, Lookup> byKey = Traced.tools(Lookup.class, Map.of("keyed", lookup), SHAPE);
        List<Lookup> byName = Traced.tools(Lookup.class, List.of(lookup), any -> "named", SHAPE);
        try (Scope scope = step.makeCurrent()) {
            assertThat(function.apply(request).titles()).containsExactly("a", "b");
            single.find(request);
            assertThat(functions.values())
                    .extracting(tool -> tool.apply(request))
                    .hasSize(1);
            byKey.values().forEach(tool -> tool.find(request));
            byName.forEach(tool -> tool.find(request));
        }

        assertThat(calls())
                .extracting(ToolCalled::tool)
                .containsExactly("function", "single", "mapped", "keyed", "named");
        assertThat(calls()).allSatisfy(call -> {
            assertThat(call.callId()).isEqualTo("c1");
            assertThat(call.provider()).isEqualTo(ToolCalled.FUNCTION);
            assertThat(call.arguments().text()).isEqualTo("{}");
            assertThat(call.result().text()).isEqualTo("a b");
        });
    }

    @Test
    void shape_ofOtherTypes_leavesValuesAsTheyAre() {
        Function<Integer, Integer> negated = Traced.tool("negated", a -> -a, ToolShape.MCP);
        BiFunction<String, Integer, String> cut = Traced.tool("cut", String::substring);
        Fetch fetch = Traced.tool("fetch", Fetch.class, CompletableFuture::completedStage, SHAPE);
        try (Scope scope = step.makeCurrent()) {
            assertThat(negated.apply(1)).isEqualTo(-1);
            assertThat(cut.apply("abc", 1)).isEqualTo("bc");
            fetch.fetch("there");
        }

        assertThat(calls()).extracting(call -> call.arguments().text()).containsExactly("1", "[\"abc\",1]", "there");
        assertThat(calls()).extracting(call -> call.result().text()).containsExactly("-1", "bc", "there");
    }

    @Test
    void toolsOfServers_areMcps() {
        Function<String, String> plain = Traced.tool("plain", (String text) -> text, ToolShape.MCP);
        Lookup shaped = Traced.tool("shaped", Lookup.class, asked -> new Found(List.of("a")), SHAPE.mcp());
        try (Scope scope = step.makeCurrent()) {
            assertThat(plain.apply("x")).isEqualTo("x");
            shaped.find(new Request("c1", "{}"));
        }

        assertThat(calls()).extracting(ToolCalled::provider).containsExactly(ToolCalled.MCP, ToolCalled.MCP);
        assertThat(calls()).extracting(call -> call.arguments().text()).containsExactly("x", "{}");
        assertThat(calls()).extracting(call -> call.result().text()).containsExactly("x", "a");
    }

    @Test
    void shapeThatThrows_costsOnlyWhatItWouldHaveRead() {
        ToolShape<String, String> throwing = ToolShape.of(
                String.class,
                String.class,
                (text, call) -> {
                    call.callId("c1");
                    throw new IllegalStateException("arguments");
                },
                (text, call) -> {
                    throw new StackOverflowError();
                });
        try (Scope scope = step.makeCurrent()) {
            assertThat(Traced.tool("t", (String text) -> text + "!", throwing).apply("x"))
                    .isEqualTo("x!");
        }

        assertThat(call().callId()).isEqualTo("c1");
        assertThat(call().result().isEmpty()).isTrue();
        assertThat(call().failed()).isFalse();
    }

    // ---- interfaces

    @Test
    void interfaceOfTools_isRecordedUnderTheNamesOfItsMethods() throws Exception {
        Calculator calculator = Traced.tool(Calculator.class, new RealCalculator());
        try (Scope scope = step.makeCurrent()) {
            assertThat(calculator.add(1, 2)).isEqualTo(3);
            assertThat(calculator.sum(1, 2, 3)).isEqualTo(6);
            assertThat(calculator.twice(4)).isEqualTo(8);
            calculator.reset();
            assertThat(calculator.nothing()).isNull();
            assertThat(Calculator.one()).isEqualTo(1);
            calculator.close();
        }

        assertThat(calls()).extracting(ToolCalled::tool).containsExactly("add", "sum", "twice", "reset", "nothing");
        assertThat(calls())
                .extracting(call -> call.arguments().text().replaceAll("\"\\w+\":", ""))
                .containsExactly("{1,2}", "{[1,2,3]}", "{4}", "{}", "{}");
        assertThat(calls()).extracting(call -> call.result().text()).containsExactly("3", "6", "8", "", "null");
    }

    @Test
    @SuppressWarnings("unchecked")
    void objectsMethods_areTheTargetsAndNoCalls() {
        Calculator target = new RealCalculator();
        Calculator traced = Traced.tool(Calculator.class, target);
        try (Scope scope = step.makeCurrent()) {
            assertThat(traced.toString()).isEqualTo("a calculator");
            assertThat(traced.hashCode()).isEqualTo(target.hashCode());
            assertThat(traced.equals(target)).isTrue();
            assertThat(traced.equals(traced)).isTrue();
            assertThat(traced).isEqualTo(Traced.tool(Calculator.class, target));
            assertThat(traced.equals(Traced.tool(Calculator.class, new RealCalculator())))
                    .isFalse();
            assertThat(traced.equals(null)).isFalse();
            Comparator<String> order = Traced.tool(Comparator.class, Comparator.<String>naturalOrder());
            assertThat(order.equals(Comparator.naturalOrder())).isTrue();
        }
        assertThat(calls()).isEmpty();
    }

    @Test
    void interfaceThatThrows_throwsTheSameCheckedOrNot() {
        IOException checked = new IOException("torn");
        Error unchecked = new AssertionError("wrong");
        Failing failing = Traced.tool("fetch", Failing.class, error -> {
            throw error;
        });
        try (Scope scope = step.makeCurrent()) {
            assertThatThrownBy(() -> failing.fail(checked)).isSameAs(checked);
            assertThatThrownBy(() -> failing.fail(unchecked)).isSameAs(unchecked);
            assertThatThrownBy(() -> failing.fail(new InterruptedException())).isInstanceOf(InterruptedException.class);
            assertThatThrownBy(() -> failing.fail(new TimeoutException("late"))).isInstanceOf(TimeoutException.class);
            assertThatThrownBy(() -> failing.fail(new IllegalArgumentException("bad")))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> failing.fail(checked)).isSameAs(checked);

        assertThat(calls())
                .extracting(ToolCalled::statusCode)
                .containsExactly(
                        RunStatus.INTERNAL,
                        RunStatus.INTERNAL,
                        RunStatus.CANCELLED,
                        RunStatus.DEADLINE_EXCEEDED,
                        RunStatus.INVALID_ARGUMENT);
        assertThat(calls().get(0).error()).hasToString("java.io.IOException: torn");
    }

    @Test
    void failureThatALibraryWraps_isTheTools() {
        ToolShape<Object, Object> shape =
                ToolShape.MCP.failure(error -> error instanceof UncheckedIOException ? error.getCause() : null);
        Failing failing = Traced.tool(
                "fetch",
                Failing.class,
                error -> {
                    throw error;
                },
                shape);
        try (Scope scope = step.makeCurrent()) {
            UncheckedIOException wrapped = new UncheckedIOException("in the library", new IOException("torn"));
            assertThatThrownBy(() -> failing.fail(wrapped)).isSameAs(wrapped);
            assertThatThrownBy(() -> failing.fail(new IllegalArgumentException("bad")))
                    .isInstanceOf(IllegalArgumentException.class);
        }

        assertThat(calls())
                .extracting(ToolCalled::statusCode, call -> String.valueOf(call.error()))
                .containsExactly(
                        tuple(RunStatus.INTERNAL, "java.io.IOException: torn"),
                        tuple(RunStatus.INVALID_ARGUMENT, "java.lang.IllegalArgumentException: bad"));
    }

    @Test
    void singleTool_isRecordedByWhatItTakesAndNotByWhatItTells() {
        Search search = Traced.tool("web", Search.class, new Web("the web"));
        try (Scope scope = step.makeCurrent()) {
            assertThat(search.name()).isEqualTo("the web");
            assertThat(search.find("x")).isEqualTo("the web: x");
            assertThat(search.findFirst(List.of("y", "z"))).isEqualTo("the web: y"); // calls find
        }

        assertThat(calls()).extracting(call -> call.arguments().text()).containsExactly("x", "y");
    }

    @Test
    @SuppressWarnings("unchecked")
    void functionalInterface_isRecordedAlsoWithoutArguments() throws Exception {
        Callable<String> callable = Traced.tool("callable", Callable.class, () -> "done");
        Function<String, String> function = Traced.tool("function", Function.class, Function.identity());
        try (Scope scope = step.makeCurrent()) {
            assertThat(callable.call()).isEqualTo("done");
            assertThat(function.andThen(String::length).apply("four")).isEqualTo(4);
        }

        assertThat(calls()).extracting(ToolCalled::tool).containsExactly("callable", "function");
    }

    @Test
    void genericInterface_isRecordedOnceACall() {
        Converter<String, Integer> target = new Lengths();
        Lengthy lengths = Traced.tool("lengths", Lengthy.class, new Lengths());
        Converter<String, Integer> general = lengths;
        try (Scope scope = step.makeCurrent()) {
            assertThat(lengths.convert("abc")).isEqualTo(target.convert("abc"));
            assertThat(general.convert("abcd")).isEqualTo(4); // by the bridge
        }
        assertThat(calls()).extracting(call -> call.result().text()).containsExactly("3", "4");
    }

    @Test
    void wrongUse_isRefusedAtOnce() {
        assertThatIllegalArgumentException().isThrownBy(() -> Traced.tool(" ", (String text) -> text));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Traced.tool(RealCalculator.class, new RealCalculator()))
                .withMessageContaining("not an interface");
    }

    // ---- what comes later

    @Test
    void futureOfATool_isRecordedBeforeWhoWaitsForItGoesOn() throws Exception {
        CompletableFuture<String> original = new CompletableFuture<>();
        Fetch fetch = Traced.tool("fetch", Fetch.class, new Fetch() {
            @Override
            public CompletionStage<String> fetch(String url) {
                return original;
            }
        });
        CompletableFuture<String> result;
        try (Scope scope = step.makeCurrent()) {
            result = fetch.fetch("url").toCompletableFuture();
        }
        Threads.together(() -> original.complete("page"), () -> {
            assertThat(result.get()).isEqualTo("page");
            run.complete("done"); // nothing is recorded after it
        });

        assertThat(call().result().text()).isEqualTo("page");
    }

    @Test
    void futureThatFails_failsWithTheSame() {
        IOException error = new IOException("torn");
        CompletableFuture<String> original = new CompletableFuture<>();
        Function<String, CompletableFuture<String>> fetch = Traced.tool("fetch", (String url) -> original);
        List<Throwable> seen = new ArrayList<>();
        try (Scope scope = step.makeCurrent()) {
            CompletableFuture<String> result = fetch.apply("url");
            CompletableFuture<String> handled = result.exceptionally(e -> {
                seen.add(e);
                return "";
            });
            original.completeExceptionally(error);
            assertThat(handled).isCompleted();
            assertThatThrownBy(result::get).cause().isSameAs(error);
        }
        assertThat(seen).containsExactly(error);
        assertThat(call().error()).hasToString("java.io.IOException: torn");
    }

    @Test
    void futureThatIsCancelled_cancelsTheOriginal() {
        CompletableFuture<String> original = new CompletableFuture<>();
        Function<String, CompletableFuture<String>> fetch = Traced.tool("fetch", (String url) -> original);
        try (Scope scope = step.makeCurrent()) {
            CompletableFuture<String> result = fetch.apply("url");
            assertThat(result.cancel(true)).isTrue();
            assertThat(result).isCancelled();
            assertThat(result.complete("late")).isFalse();
        }
        assertThat(original).isCancelled();
        assertThat(call().statusCode()).isEqualTo(RunStatus.CANCELLED);
    }

    @Test
    void futureOfAClassOfItsOwn_isHandedOnAsItIs() {
        Own own = new Own();
        Function<String, Own> fetch = Traced.tool("fetch", (String url) -> own);
        try (Scope scope = step.makeCurrent()) {
            Own result = fetch.apply("url");
            assertThat(result).isSameAs(own);
        }
        own.complete("page");
        assertThat(call().result().text()).isEqualTo("page");
    }

    // ---- threads

    @Test
    void toolsOnAnExecutor_areRecordedWhereTheTaskWasHandedOver() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            callFrom(pool);
        } finally {
            pool.shutdownNow();
        }
    }

    private void callFrom(ExecutorService executor) throws Exception {
        Calculator calculator = Traced.tool(Calculator.class, new RealCalculator());
        List<Callable<Integer>> tasks = IntStream.range(0, 50)
                .<Callable<Integer>>mapToObj(i -> () -> calculator.add(i, 0))
                .toList();
        try (Scope scope = step.makeCurrent()) {
            Scope.wrap(executor).invokeAll(tasks);
        }
        executor.invokeAll(tasks);

        assertThat(calls())
                .hasSize(50)
                .allSatisfy(call -> assertThat(call.step()).isEqualTo(1));
        assertThat(calls())
                .extracting(call -> Integer.valueOf(call.result().text()))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 50).boxed().toList());
    }

    @Test
    void toolThatCallsATool_isRecordedBesideIt() {
        Function<String, String> inner = Traced.tool("inner", (String text) -> text + "!");
        Function<String, String> outer = Traced.tool("outer", inner);
        try (Scope scope = step.makeCurrent()) {
            assertThat(outer.apply("x")).isEqualTo("x!");
        }
        assertThat(calls()).extracting(ToolCalled::tool).containsExactly("inner", "outer");
        assertThat(calls()).allSatisfy(call -> assertThat(call.parentSeq()).isZero());
    }

    // ---- values

    @Test
    void plainValues_areRecordedAsJson() {
        assertThat(recorded(Arrays.asList(1, 2.5, true, null, "a\"\\\n\u0001é")))
                .isEqualTo("[1,2.5,true,null,\"a\\\"\\\\\\n\\u0001é\"]");
    }

    @Test
    void nothing_isRecordedAsJsonsNull() {
        assertThat(recorded(null)).isEqualTo("null");
    }

    @Test
    void recordsAndMaps_areRecordedAsJson() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("point", new Point(1, new Point(2, null)));
        map.put("numbers", new int[] {1, 2});
        map.put("nan", Double.NaN);
        assertThat(recorded(map))
                .isEqualTo("{\"point\":{\"x\":1,\"next\":{\"x\":2,\"next\":null}},\"numbers\":[1,2],\"nan\":\"NaN\"}");
    }

    @Test
    void cyclicValue_ends() {
        List<Object> cycle = new ArrayList<>();
        cycle.add(cycle);
        cycle.add(cycle);
        assertThat(recorded(cycle)).contains("[too deep]").contains("[too much]");
    }

    @Test
    void valuesThatThrow_breakNothing() {
        Object hostile = new Object() {
            @Override
            public String toString() {
                throw new StackOverflowError();
            }
        };
        assertThat(recorded(hostile)).isEqualTo(Content.FAILED);
    }

    @Test
    void recordWhoseAccessorThrows_breaksNothing() {
        assertThat(recorded(new Hostile(1, 2))).isEqualTo("{\"good\":1,\"bad\":\"" + Content.FAILED + "\"}");
    }

    @Test
    void errorThatThrows_breaksNothing() {
        RuntimeException hostile = new RuntimeException() {
            @Override
            public String getMessage() {
                throw new IllegalStateException();
            }
        };
        Function<String, String> failing = Traced.tool("failing", (String any) -> {
            throw hostile;
        });
        try (Scope scope = step.makeCurrent()) {
            assertThatThrownBy(() -> failing.apply("")).isSameAs(hostile);
        }
        assertThat(String.valueOf(call().error())).startsWith(TracedToolTest.class.getName());
    }

    @Test
    void argumentsThatTheToolChanges_areRecordedAsTheyWereGiven() {
        Function<List<String>, Boolean> clear = Traced.tool("clear", (List<String> list) -> {
            list.clear();
            return true;
        });
        try (Scope scope = step.makeCurrent()) {
            assertThat(clear.apply(new ArrayList<>(List.of("a")))).isTrue();
        }
        assertThat(call().arguments().text()).isEqualTo("[\"a\"]");
    }

    @Test
    void callAfterTheRunsEnd_isMadeAndCountedAsDropped() {
        Function<String, String> tool = Traced.tool("tool", (String text) -> text);
        try (Scope scope = step.makeCurrent()) {
            run.complete("done");
            assertThat(tool.apply("x")).isEqualTo("x");
        }
        assertThat(calls()).isEmpty();
        assertThat(sinks.statuses().get(0).ledger().dropped()).isEqualTo(Map.of("after_end", 1L));
    }

    private interface Calculator extends AutoCloseable {
        int add(int a, int b);

        int sum(int... numbers);

        void reset();

        @Nullable
        String nothing();

        default int twice(int a) {
            return add(a, a);
        }

        static int one() {
            return 1;
        }
    }

    private static final class RealCalculator implements Calculator {
        @Override
        public int add(int a, int b) {
            return a + b;
        }

        @Override
        public int sum(int... numbers) {
            return IntStream.of(numbers).sum();
        }

        @Override
        public void reset() {}

        @Override
        public @Nullable String nothing() {
            return null;
        }

        @Override
        public void close() {}

        @Override
        public String toString() {
            return "a calculator";
        }
    }

    @FunctionalInterface
    private interface Failing {
        void fail(Throwable error) throws Throwable;
    }

    private interface Search {
        String name();

        String find(String query);

        default String findFirst(List<String> queries) {
            return find(queries.get(0));
        }
    }

    private record Web(String name) implements Search {
        @Override
        public String find(String query) {
            return name + ": " + query;
        }
    }

    private record Request(String id, String json) {}

    private record Found(List<String> titles) {}

    private interface Lookup {
        Found find(Request request);
    }

    private interface Fetch {
        CompletionStage<String> fetch(String url);
    }

    private interface Converter<A, B> {
        B convert(A value);
    }

    private interface Lengthy extends Converter<String, Integer> {
        @Override
        Integer convert(String value);
    }

    private static final class Lengths implements Lengthy {
        @Override
        public Integer convert(String value) {
            return value.length();
        }
    }

    private static final class Own extends CompletableFuture<String> {}

    private record Point(int x, @Nullable Point next) {}

    private record Hostile(int good, int bad) {
        @Override
        @SuppressWarnings("UnusedMethod") // by reflection
        public int bad() {
            throw new IllegalStateException();
        }
    }
}
