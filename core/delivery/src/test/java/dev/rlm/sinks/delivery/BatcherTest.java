package dev.rlm.sinks.delivery;

import static dev.rlm.sinks.testkit.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.delivery.Failure.Remedy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BatcherTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final RetryPolicy RETRIES = RetryPolicy.upTo(LONG);
    private static final BatchLimits TENS = BatchLimits.of(10).linger(LONG).waiting(100);

    private final Sender sender = new Sender();
    private @Nullable Batcher<String> batcher;

    @AfterEach
    void close() {
        if (batcher != null) {
            batcher.close();
        }
    }

    private Batcher<String> batcher(BatchLimits limits, RetryPolicy retries) {
        batcher = new Batcher<>(sender, limits, retries);
        return batcher;
    }

    private static boolean flush(Batcher<String> batcher) {
        return batcher.flush(System.nanoTime() + Duration.ofSeconds(30).toNanos());
    }

    private static void add(Batcher<String> batcher, int items) {
        IntStream.range(0, items).forEach(i -> batcher.add("i" + i));
    }

    @Test
    void batch_isSentWhenItIsFull_andTheRestWhenItIsFlushed() {
        Batcher<String> tens = batcher(TENS, RETRIES);
        add(tens, 25);
        await().until(() -> sender.taken().size() == 20);
        assertThat(tens.size()).isEqualTo(5);
        assertThat(flush(tens)).isTrue();
        assertThat(sender.taken())
                .containsExactlyElementsOf(
                        IntStream.range(0, 25).mapToObj(i -> "i" + i).toList());
        assertThat(sender.batches()).extracting(List::size).containsExactly(10, 10, 5);
    }

    @Test
    void batch_holdsNoMoreThanItsSize_saveASingleItem() {
        Batcher<String> sized = batcher(BatchLimits.of(10, 12).linger(LONG).waiting(9), RETRIES);
        sender.sizes = String::length;
        List.of("four", "four", "four", "four", "far too long an item", "four").forEach(sized::add);
        assertThat(flush(sized)).isTrue();
        assertThat(sender.batches()).extracting(List::size).containsExactly(3, 1, 1, 1);
    }

    @Test
    void item_waitsForCompanyNoLongerThanTheLinger() {
        batcher(BatchLimits.of(10).linger(Duration.ofMillis(20)), RETRIES).add("one");
        await().until(() -> sender.taken().equals(List.of("one")));
    }

    @Test
    void batch_holdsItemsOfOneGroup_inTheirOrder() {
        Batcher<String> groups = batcher(TENS, RETRIES);
        sender.groups = item -> item.charAt(0);
        List.of("a1", "b1", "a2", "c1", "b2").forEach(groups::add);
        assertThat(flush(groups)).isTrue();
        assertThat(sender.batches()).containsExactly(List.of("a1", "a2"), List.of("b1", "b2"), List.of("c1"));
    }

    @Test
    void requests_areInFlightAtOnce_asManyAsTheLimitSays() {
        Batcher<String> three = batcher(BatchLimits.of(1).inFlight(3).waiting(9), RETRIES);
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        sender.answer = batch -> answer;
        add(three, 5);
        await().until(() -> sender.batches().size() == 3);
        answer.complete(Optional.empty());
        assertThat(flush(three)).isTrue();
        assertThat(sender.taken()).hasSize(5);
    }

    /** Asks for as long a pause at the first request; the times of all are in the list. */
    private List<Long> busyOnce(Duration asked) {
        List<Long> times = Collections.synchronizedList(new ArrayList<>());
        sender.answer = batch -> {
            times.add(System.nanoTime());
            return answer(
                    times.size() < 2 ? Failure.of("busy", "busy", Remedy.RETRY).retryAfter(asked) : null);
        };
        return times;
    }

    @Test
    void failure_thatPasses_isTriedAgain_afterAsLongAsTheServerAsks() {
        Batcher<String> one = batcher(BatchLimits.of(1), RETRIES);
        Duration asked = Duration.ofMillis(600);
        List<Long> times = busyOnce(asked);
        one.add("x");
        assertThat(flush(one)).isTrue();
        assertThat(times.get(1) - times.get(0)).isGreaterThanOrEqualTo(asked.toNanos());
        assertThat(sender.lost).isEmpty();
    }

    @Test
    void server_thatAsksToBeLeftAlone_isLeftAloneByAllRequests() {
        Batcher<String> two = batcher(BatchLimits.of(1).inFlight(2).waiting(9), RETRIES);
        Duration asked = Duration.ofMillis(600);
        List<Long> times = busyOnce(asked);
        two.add("x");
        await().until(() -> two.held() > 0);
        add(two, 3);
        assertThat(flush(two)).isTrue();
        assertThat(times).hasSize(5);
        assertThat(times.subList(1, 5))
                .allSatisfy(time -> assertThat(time - times.get(0)).isGreaterThanOrEqualTo(asked.toNanos()));
        assertThat(sender.taken()).containsExactlyInAnyOrder("x", "i0", "i1", "i2");
    }

    @Test
    void failure_thatDoesNotPass_isGivenUpInTime_withWhatWasWrong() {
        Batcher<String> one = batcher(BatchLimits.of(1), RetryPolicy.upTo(Duration.ofMillis(50)));
        sender.answer = batch -> answer(Failure.of("busy", "busy", Remedy.RETRY));
        one.add("x");
        assertThat(flush(one)).isFalse();
        assertThat(sender.lost).isEqualTo(Map.of("x", "busy"));
    }

    @Test
    void item_thatSpoilsItsBatch_isLostAlone() {
        Batcher<String> tens = batcher(TENS, RETRIES);
        sender.answer = batch -> answer(batch.contains("i7") ? Failure.of("bad", "bad", Remedy.SPLIT) : null);
        add(tens, 10);
        assertThat(flush(tens)).isFalse();
        assertThat(sender.lost).isEqualTo(Map.of("i7", "bad"));
        assertThat(sender.taken()).hasSize(9);
        assertThat(flush(tens)).as("nothing new").isTrue();
    }

    @Test
    void server_thatRefusesEachItem_isNotAskedForAll() {
        Batcher<String> many = batcher(BatchLimits.of(1_024), RETRIES);
        sender.answer = batch -> answer(Failure.of("bad", "bad", Remedy.SPLIT));
        add(many, 1_024);
        assertThat(flush(many)).isFalse();
        assertThat(sender.lost).hasSize(1_024);
        assertThat(sender.batches()).hasSizeLessThan(150);
    }

    @Test
    void sender_thatThrows_losesItsBatchAlone() {
        Batcher<String> one = batcher(BatchLimits.of(1), RETRIES);
        sender.answer = batch -> {
            if (batch.contains("i0")) {
                throw new IllegalStateException("a message with a secret");
            }
            return answer(null);
        };
        add(one, 2);
        assertThat(flush(one)).isFalse();
        assertThat(sender.lost).isEqualTo(Map.of("i0", "export_failed"));
        assertThat(sender.taken()).containsExactly("i1");
    }

    @Test
    void sender_thatNeverComesBack_costsAFewThreads() {
        Batcher<String> one = batcher(BatchLimits.of(1), RetryPolicy.upTo(Duration.ofMillis(10)));
        CountDownLatch never = new CountDownLatch(1);
        sender.answer = batch -> {
            awaitQuietly(never);
            return answer(null);
        };
        add(one, 20);
        assertThat(flush(one)).isFalse();
        assertThat(sender.lost).hasSize(20).containsValue("export_timeout");
        assertThat(sender.batches()).hasSize(5);
        never.countDown();
    }

    @Test
    void lane_waitsWhileThereIsNoRoom() throws Exception {
        Batcher<String> small = batcher(BatchLimits.of(1).waiting(1), RETRIES);
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        sender.answer = batch -> answer;
        Thread lane = new Thread(() -> add(small, 3));
        lane.start();
        await().until(() -> lane.getState() == Thread.State.TIMED_WAITING);
        answer.complete(Optional.empty());
        lane.join();
        assertThat(flush(small)).isTrue();
        assertThat(sender.taken()).hasSize(3);
    }

    @Test
    void lane_waitsNoLongerThanTheStall_whileNothingArrives_andAFlushKnowsOfTheLoss() throws Exception {
        Batcher<String> small = batcher(BatchLimits.of(1).waiting(1).stall(Duration.ofMillis(20), true), RETRIES);
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        sender.answer = batch -> answer;
        add(small, 4);
        assertThat(sender.lost).isEqualTo(Map.of("i2", "buffer_full", "i3", "buffer_full"));

        answer.complete(Optional.empty());
        assertThat(flush(small)).isFalse();
        assertThat(flush(small)).isTrue();
    }

    @Test
    void close_cutsWhatIsInFlight_andGivesUpTheRest() throws Exception {
        Batcher<String> hanging = batcher(BatchLimits.of(1).waiting(9), RETRIES);
        CountDownLatch never = new CountDownLatch(1);
        sender.answer = batch -> {
            awaitQuietly(never);
            return answer(null);
        };
        add(hanging, 3);
        await().until(() -> sender.batches().size() == 1);
        hanging.close();
        assertThat(sender.lost).isEqualTo(Map.of("i0", "export_timeout", "i1", "closed", "i2", "closed"));
        never.countDown();
        hanging.add("late");
        assertThat(sender.lost).containsEntry("late", "closed").hasSize(4);
    }

    @Test
    void end_cutsThePauseBeforeAnotherAttempt_andSaysWhatWasWrong() {
        Batcher<String> one = batcher(BatchLimits.of(1), RETRIES);
        sender.answer = batch -> answer(Failure.of("busy", "busy", Remedy.RETRY).retryAfter(LONG));
        one.add("x");
        await().until(() -> sender.batches().size() == 1);
        one.endBy(System.nanoTime());
        assertThat(flush(one)).isFalse();
        assertThat(sender.lost).isEqualTo(Map.of("x", "busy"));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static CompletionStage<Optional<Failure>> answer(@Nullable Failure failure) {
        return CompletableFuture.completedFuture(Optional.ofNullable(failure));
    }

    /** A sender that answers as a test says, and keeps what it hears. */
    private static final class Sender implements BatchSender<String> {
        private final List<List<String>> batches = Collections.synchronizedList(new ArrayList<>());
        private final List<String> taken = Collections.synchronizedList(new ArrayList<>());
        private final Map<String, String> lost = Collections.synchronizedMap(new TreeMap<>());
        private volatile Function<List<String>, CompletionStage<Optional<Failure>>> answer = batch -> answer(null);
        private volatile Function<String, Object> groups = item -> "";
        private volatile Function<String, Integer> sizes = item -> 1;

        List<List<String>> batches() {
            return List.copyOf(batches);
        }

        List<String> taken() {
            return List.copyOf(taken);
        }

        @Override
        public CompletionStage<Optional<Failure>> send(List<String> batch) {
            batches.add(List.copyOf(batch));
            return answer.apply(batch);
        }

        @Override
        public boolean done(List<String> items, @Nullable Failure failure) {
            if (failure == null) {
                taken.addAll(items);
            } else {
                items.forEach(item -> lost.put(item, failure.reason()));
            }
            return failure == null;
        }

        @Override
        public long size(String item) {
            return sizes.apply(item);
        }

        @Override
        public Object group(String item) {
            return groups.apply(item);
        }
    }
}
