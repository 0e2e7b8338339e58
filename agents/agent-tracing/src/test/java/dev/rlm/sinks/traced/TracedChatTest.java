package dev.rlm.sinks.traced;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.testkit.InMemorySink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Flow.Publisher;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.SubmissionPublisher;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TracedChatTest {
    private static final ChatShape<Question, Answer> SHAPE = ChatShape.<Question, Answer>of(
                    Question.class,
                    Answer.class,
                    (question, call) -> call.message("user", question.text()).parameter("temperature", 0.5),
                    (answer, call) -> call.reply(answer.text())
                            .toolRequest("c1", "search", "{}")
                            .usage(new Usage(3L, answer.tokens(), null, null))
                            .finishReason("stop"))
            .model(Question::model);

    private final InMemorySink sink = new InMemorySink();
    private final Sinks sinks =
            Sinks.builder().add("recorder", sink).secret("a-secret-value").build();
    private final Run run = sinks.startRun(RunSpec.builder("env").build());
    private final Step step = run.startStep();

    @AfterEach
    void close() {
        sinks.close();
    }

    private ModelCalled call() {
        sinks.close();
        return sink.only(ModelCalled.class);
    }

    private String reply() {
        return replyOf(call());
    }

    private static String replyOf(ModelCalled call) {
        return call.reply() == null ? "none" : call.reply().content().text();
    }

    private List<ModelCalled> calls() {
        sinks.close();
        return sink.events(ModelCalled.class);
    }

    // ---- whole replies

    @Test
    void textClient_isRecorded() {
        ChatClient<String, String, RuntimeException> model = Traced.chat("ollama", "qwen3", text -> text + "!");
        assertThat(model.send("nowhere")).isEqualTo("nowhere!");
        try (Scope scope = step.makeCurrent()) {
            assertThat(model.send("a-secret-value")).isEqualTo("a-secret-value!");
        }

        assertThat(call().provider()).isEqualTo("ollama");
        assertThat(call().model()).isEqualTo("qwen3");
        assertThat(call().step()).isEqualTo(1);
        assertThat(call().messages()).hasSize(1);
        assertThat(call().messages().get(0).role()).isEqualTo("user");
        assertThat(call().messages().get(0).content().text()).startsWith("[REDACTED:");
        assertThat(reply()).startsWith("[REDACTED:").endsWith("!");
        assertThat(call().firstTokenNanos()).isNull();
    }

    @Test
    void shape_saysWhatIsRecorded() {
        ChatClient<Question, Answer, RuntimeException> model = Traced.chat("p", "m", new Client()::send, SHAPE);
        Answer answer;
        try (Scope scope = step.makeCurrent()) {
            answer = model.send(new Question("what?", null));
            model.send(new Question("what?", "another"));
        }

        assertThat(answer).isEqualTo(new Answer("what? 42", 7));
        ModelCalled call = calls().get(0);
        assertThat(call.parameters()).isEqualTo(Map.of("temperature", 0.5));
        assertThat(call.usage()).isEqualTo(new Usage(3L, 7L, null, null));
        assertThat(call.finishReason()).isEqualTo("stop");
        assertThat(call.reply())
                .isNotNull()
                .satisfies(said -> assertThat(said.toolCalls()).hasSize(1));
        assertThat(calls()).extracting(ModelCalled::model).containsExactly("m", "another");
    }

    @Test
    void clientThatThrows_throwsTheSameCheckedException() {
        IOException error = new IOException("refused");
        ChatClient<String, String, IOException> model = Traced.chat("p", "m", text -> {
            throw error;
        });
        try (Scope scope = step.makeCurrent()) {
            assertThatThrownBy(() -> model.send("x")).isSameAs(error);
        }
        assertThat(call().error()).hasToString("java.io.IOException: refused");
        assertThat(call().reply()).isNull();
    }

    @Test
    void shapeThatThrows_costsOnlyWhatItWouldHaveRead() {
        ChatShape<String, String> shape = ChatShape.<String, String>of(
                        String.class,
                        String.class,
                        (text, call) -> {
                            call.message("user", text);
                            throw new IllegalStateException("request");
                        },
                        (text, call) -> {
                            throw new StackOverflowError();
                        })
                .model(text -> {
                    throw new IllegalStateException("model");
                });
        try (Scope scope = step.makeCurrent()) {
            assertThat(Traced.chat("p", "m", (String text) -> text + "!", shape).send("x"))
                    .isEqualTo("x!");
        }
        assertThat(call().model()).isEqualTo("m");
        assertThat(call().messages()).hasSize(1);
        assertThat(call().reply()).isNull();
        assertThat(call().error()).isNull();
    }

    @Test
    void judgeInsideAnEvaluation_liesInTheReward() {
        ChatClient<String, String, RuntimeException> judge = Traced.chat("p", "judge", text -> "1");
        try (Evaluation evaluation = step.startEvaluation("judge");
                Scope scope = evaluation.makeCurrent()) {
            evaluation.reward(Double.parseDouble(judge.send("good?")));
        }
        assertThat(call().parentSeq())
                .isEqualTo(sink.only(dev.rlm.sinks.event.RewardGiven.class).seq());
    }

    // ---- clients behind an interface

    @Test
    void clientsInterface_isRecordedWhereItTakesARequestAndReplies() throws Exception {
        Model model = Traced.chat("p", "m", Model.class, new Client(), SHAPE);
        try (Scope scope = step.makeCurrent()) {
            assertThat(model.send(new Question("a", null)).text()).isEqualTo("a 42");
            assertThat(model.send("b")).isEqualTo("b 42"); // has the interface's body, which sends a question
            assertThat(model.sendAsync(new Question("c", null))
                            .toCompletableFuture()
                            .get()
                            .text())
                    .isEqualTo("c 42");
            assertThat(model.tokens(new Question("d", null))).isEqualTo(1);
            assertThat(model).hasToString("a client");
            General<Question, Answer> general = model;
            assertThat(general.send(new Question("e", null)).text()).isEqualTo("e 42");
            assertThatThrownBy(() -> model.sendAsync(null)).isInstanceOf(NullPointerException.class);
        }

        assertThat(calls())
                .extracting(call -> call.messages().get(0).content().text() + " > " + replyOf(call))
                .containsExactly("a > a 42", "b > b 42", "c > c 42", "e > e 42");
    }

    // ---- clients that tell a handler

    private Streaming streaming(Consumer<Handler> client) {
        return Traced.chat("p", "m", Streaming.class, (question, retries, handler) -> client.accept(handler), SHAPE);
    }

    @Test
    void handler_isTold_afterItsCallWasRecorded() throws Exception {
        CompletableFuture<List<String>> told = new CompletableFuture<>();
        Handler handler = new Handler() {
            private final List<String> all = new ArrayList<>();

            @Override
            public void onPiece(String piece) {
                all.add(piece);
            }

            @Override
            public void onReply(Answer answer) {
                Activity.current().startToolCall("wanted").close();
                run.complete("done"); // nothing is recorded after it
                all.add(answer.text());
                told.complete(all);
            }

            @Override
            public void onFailure(Exception error) {
                told.completeExceptionally(error);
            }
        };
        Streaming model = streaming(to -> Threads.together(() -> {
            to.onPiece("a");
            to.onPiece("b");
            to.onReply(new Answer("ab", 2));
        }));
        try (Scope scope = step.makeCurrent()) {
            model.send(new Question("x", null), 3, handler);
        }

        assertThat(told.get()).containsExactly("a", "b", "ab");
        assertThat(reply()).isEqualTo("ab");
        assertThat(call().error()).isNull();
        assertThat(call().usage()).isEqualTo(new Usage(3L, 2L, null, null));
        assertThat(call().firstTokenNanos()).isBetween(call().startNanos(), call().nanos());
        assertThat(sink.only(ToolCalled.class).step()).isEqualTo(1);
    }

    @Test
    void handler_thatIsToldOfAFailure_isToldOfTheSame() {
        IOException error = new IOException("torn");
        List<Throwable> told = new ArrayList<>();
        try (Scope scope = step.makeCurrent()) {
            streaming(handler -> {
                        handler.onFailure(error);
                        handler.onReply(new Answer("late", 1)); // a client that breaks its word
                    })
                    .send(new Question("x", null), 3, new Failures(told));
        }

        assertThat(told).containsExactly(error);
        assertThat(call().error()).hasToString("java.io.IOException: torn");
        assertThat(call().reply()).isNull();
        assertThat(sinks.statuses().get(0).ledger().dropped()).isEmpty();
    }

    @Test
    void clientOfAHandler_thatThrows_throwsTheSame() {
        RuntimeException error = new IllegalStateException("busy");
        Streaming model = streaming(handler -> {
            throw error;
        });
        try (Scope scope = step.makeCurrent()) {
            assertThatThrownBy(() -> model.send(new Question("x", null), 3, new Failures(new ArrayList<>())))
                    .isSameAs(error);
        }
        assertThat(call().error()).hasToString("java.lang.IllegalStateException: busy");
    }

    @Test
    void listener_ofWhichNothingTellsTheReply_isLeftAlone() {
        List<String> told = new ArrayList<>();
        Listening model =
                Traced.chat("p", "m", Listening.class, (text, listener) -> listener.onPiece(text), ChatShape.TEXT);
        Listener listener = new Listener() {
            @Override
            public void onPiece(String piece) {
                told.add(piece);
            }

            @Override
            public void onReply(String reply) {}

            @Override
            public void onFailure(Throwable error) {}
        };
        try (Scope scope = step.makeCurrent()) {
            model.send("x", listener);
        }
        assertThat(told).containsExactly("x");
        assertThat(calls()).isEmpty();
    }

    // ---- asynchronous replies

    @Test
    void futureReply_isRecordedWhenItComes() {
        CompletableFuture<String> original = new CompletableFuture<>();
        ChatClient<String, CompletableFuture<String>, RuntimeException> model =
                Traced.chatAsync("p", "m", text -> original, ChatShape.TEXT);
        CompletableFuture<String> reply;
        try (Scope scope = step.makeCurrent()) {
            reply = model.send("x");
        }
        Threads.together(() -> original.complete("y"), () -> {
            assertThat(reply.join()).isEqualTo("y");
            run.complete("done"); // nothing is recorded after it
        });

        assertThat(reply()).isEqualTo("y");
        assertThat(call().step()).isEqualTo(1);
    }

    @Test
    void futureReplyThatFails_failsAlike() {
        IOException error = new IOException("torn");
        CompletableFuture<String> original = new CompletableFuture<>();
        ChatClient<String, CompletableFuture<String>, RuntimeException> model =
                Traced.chatAsync("p", "m", text -> original, ChatShape.TEXT);
        try (Scope scope = step.makeCurrent()) {
            CompletableFuture<String> reply = model.send("x");
            original.completeExceptionally(error);
            assertThatThrownBy(reply::get).cause().isSameAs(error);
        }
        assertThat(call().error()).hasToString("java.io.IOException: torn");
    }

    // ---- streamed replies

    private Stream<String> streamed(Stream<String> chunks) {
        ChatClient<String, Stream<String>, RuntimeException> model =
                Traced.chatStream("p", "m", text -> chunks, ChatShape.TEXT_CHUNKS);
        try (Scope scope = step.makeCurrent()) {
            return model.send("x");
        }
    }

    @Test
    void stream_isRecordedAtItsEnd() {
        assertThat(streamed(Stream.of("a", "b", "c")).map(chunk -> chunk + ".").toList())
                .containsExactly("a.", "b.", "c.");

        assertThat(reply()).isEqualTo("abc");
        assertThat(call().firstTokenNanos()).isBetween(call().startNanos(), call().nanos());
    }

    @Test
    void streamThatIsClosedEarly_isRecordedAsFarAsItWasRead() {
        List<String> closed = new ArrayList<>();
        Stream<String> endless =
                IntStream.iterate(0, i -> i + 1).mapToObj(Integer::toString).onClose(() -> closed.add("source"));
        try (Stream<String> stream = streamed(endless)) {
            assertThat(stream.limit(3).toList()).containsExactly("0", "1", "2");
        }

        assertThat(closed).containsExactly("source");
        assertThat(reply()).isEqualTo("012");
    }

    @Test
    void streamThatFails_throwsTheSameAndIsRecordedWithWhatHadCome() {
        RuntimeException error = new IllegalStateException("torn");
        Stream<String> torn = Stream.of("a", "b").map(chunk -> {
            if (chunk.equals("b")) {
                throw error;
            }
            return chunk;
        });
        Stream<String> stream = streamed(torn);
        assertThatThrownBy(stream::toList).isSameAs(error);

        assertThat(reply()).isEqualTo("a");
        assertThat(call().error()).hasToString("java.lang.IllegalStateException: torn");
    }

    @Test
    void parallelAndEmptyStreams_areStreamsAsBefore() {
        assertThat(streamed(IntStream.range(0, 1_000)
                                .mapToObj(Integer::toString)
                                .parallel())
                        .mapToInt(Integer::parseInt)
                        .sum())
                .isEqualTo(499_500);
        assertThat(streamed(Stream.empty()).findFirst()).isEmpty();

        assertThat(calls()).hasSize(2);
        assertThat(calls().get(1).firstTokenNanos()).isNull();
    }

    @Test
    @SuppressWarnings("NullAway") // as clients do that know nothing of it
    void clientThatReturnsNothing_isSeenToByTheAgent() {
        try (Scope scope = step.makeCurrent()) {
            assertThat(Traced.<String, String, RuntimeException>chatAsync("p", "m", text -> null, ChatShape.TEXT)
                            .send("x"))
                    .isNull();
            assertThat(streamed(null)).isNull();
            assertThat(published(null)).isNull();
        }
        assertThat(calls())
                .hasSize(3)
                .allSatisfy(call -> assertThat(call.error()).isNull());
    }

    @Test
    void chunksToAConsumer_areRecordedWhenTheClientReturns() {
        BiConsumer<String, Consumer<String>> model = Traced.chatStream(
                "p",
                "m",
                (String text, Consumer<String> consumer) -> List.of("a", "b").forEach(consumer),
                ChatShape.TEXT_CHUNKS);
        List<String> seen = new ArrayList<>();
        model.accept("nowhere", seen::add);
        try (Scope scope = step.makeCurrent()) {
            model.accept("x", seen::add);
        }

        assertThat(seen).containsExactly("a", "b", "a", "b");
        assertThat(reply()).isEqualTo("ab");
    }

    @Test
    void publishedChunks_areRecordedAsTheSubscriberIsGivenThem() throws Exception {
        try (SubmissionPublisher<String> source = new SubmissionPublisher<>()) {
            Publisher<String> publisher = published(source);
            CompletableFuture<List<String>> seen = new CompletableFuture<>();
            publisher.subscribe(new Collecting(seen, Integer.MAX_VALUE));
            source.submit("a");
            source.submit("b");
            source.close();
            assertThat(seen.get()).containsExactly("a", "b");
        }
        assertThat(reply()).isEqualTo("ab");
    }

    @Test
    void publishedChunksThatAreCancelled_areRecordedSoFar() throws Exception {
        try (SubmissionPublisher<String> source = new SubmissionPublisher<>()) {
            CompletableFuture<List<String>> seen = new CompletableFuture<>();
            published(source).subscribe(new Collecting(seen, 1));
            source.submit("a");
            assertThat(seen.get()).containsExactly("a");
        }
        assertThat(reply()).isEqualTo("a");
    }

    @Test
    void publisherThatFails_failsAlike() {
        IOException error = new IOException("torn");
        try (SubmissionPublisher<String> source = new SubmissionPublisher<>()) {
            CompletableFuture<List<String>> seen = new CompletableFuture<>();
            published(source).subscribe(new Collecting(seen, Integer.MAX_VALUE));
            source.closeExceptionally(error);
            assertThatThrownBy(seen::get).cause().isSameAs(error);
        }
        assertThat(call().error()).hasToString("java.io.IOException: torn");
    }

    @Test
    void subscriber_doesWhatItDoes_whereTheCallWasMade() throws Exception {
        CompletableFuture<List<String>> seen = new CompletableFuture<>();
        try (SubmissionPublisher<String> source = new SubmissionPublisher<>()) {
            published(source).subscribe(new Collecting(seen, Integer.MAX_VALUE) {
                @Override
                public void onNext(String chunk) {
                    Activity.current().startToolCall("on " + chunk).close();
                    super.onNext(chunk);
                }

                @Override
                public void onComplete() {
                    Activity.current().startToolCall("on complete").close();
                    super.onComplete();
                }
            });
            source.submit("a");
            source.close();
            seen.get();
        }
        assertThat(reply()).isEqualTo("a");
        assertThat(sink.events(ToolCalled.class))
                .extracting(ToolCalled::tool, ToolCalled::step)
                .containsExactly(tuple("on a", 1), tuple("on complete", 1));
    }

    private Publisher<String> published(Publisher<String> source) {
        ChatClient<String, Publisher<String>, RuntimeException> model =
                Traced.chatPublisher("p", "m", text -> source, ChatShape.TEXT_CHUNKS);
        try (Scope scope = step.makeCurrent()) {
            return model.send("x");
        }
    }

    /** Takes so many chunks, then cancels. */
    private static class Collecting implements Flow.Subscriber<String> {
        private final CompletableFuture<List<String>> all;
        private final List<String> come = new ArrayList<>();
        private final int wanted;
        private @Nullable Subscription subscription;

        Collecting(CompletableFuture<List<String>> all, int wanted) {
            this.all = all;
            this.wanted = wanted;
        }

        @Override
        public void onSubscribe(Subscription given) {
            subscription = given;
            given.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(String chunk) {
            come.add(chunk);
            if (come.size() == wanted && subscription != null) {
                subscription.cancel();
                all.complete(come);
            }
        }

        @Override
        public void onError(Throwable error) {
            all.completeExceptionally(error);
        }

        @Override
        public void onComplete() {
            all.complete(come);
        }
    }

    private record Question(String text, @Nullable String model) {}

    private record Answer(String text, long tokens) {}

    @FunctionalInterface
    private interface Streaming {
        void send(Question question, int retries, Handler handler);
    }

    private interface Handler {
        void onPiece(String piece);

        void onReply(Answer answer);

        void onFailure(Exception error);
    }

    /** Keeps the failures that it is told of. */
    private record Failures(List<Throwable> told) implements Handler {
        @Override
        public void onPiece(String piece) {}

        @Override
        public void onReply(Answer answer) {}

        @Override
        public void onFailure(Exception error) {
            told.add(error);
        }
    }

    @FunctionalInterface
    interface Listening {
        void send(String text, Listener listener);
    }

    interface Listener {
        void onPiece(String piece);

        void onReply(String reply);

        void onFailure(Throwable error);
    }

    private interface General<Q, R> {
        R send(Q request);
    }

    private interface Model extends General<Question, Answer> {
        @Override
        Answer send(Question question);

        default String send(String text) {
            return send(new Question(text, null)).text();
        }

        CompletionStage<Answer> sendAsync(@Nullable Question question);

        int tokens(Question question);
    }

    private static final class Client implements Model {
        @Override
        public Answer send(Question question) {
            return new Answer(question.text() + " 42", 7);
        }

        @Override
        public CompletionStage<Answer> sendAsync(@Nullable Question question) {
            return CompletableFuture.completedStage(send(java.util.Objects.requireNonNull(question)));
        }

        @Override
        public int tokens(Question question) {
            return 1;
        }

        @Override
        public String toString() {
            return "a client";
        }
    }
}
