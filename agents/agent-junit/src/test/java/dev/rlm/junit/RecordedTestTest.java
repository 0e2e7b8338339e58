package dev.rlm.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.Activity;
import dev.rlm.sinks.Run;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.EventStatistics;
import org.junit.platform.testkit.engine.Events;

/** Tests of an agent, executed by JUnit, as the journal tells of them. */
class RecordedTestTest {
    private static final String DIRECTORY = "rlm.jsonl.dir";

    @TempDir
    private Path folder;

    @AfterEach
    void forget() {
        System.clearProperty(DIRECTORY);
    }

    private List<RunSummary> runs(Class<?> tests, java.util.function.Consumer<EventStatistics> expected) {
        System.setProperty(DIRECTORY, folder.resolve("journal").toString());
        Events events = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(tests))
                .execute()
                .testEvents();
        events.assertStatistics(expected);
        return Journal.open(folder.resolve("journal")).runs();
    }

    @Test
    void testsAreRuns_withTheirRewards() {
        List<RunSummary> runs = runs(
                Agent.class,
                counts -> counts.started(5).succeeded(2).failed(2).skipped(0).aborted(1));
        assertThat(runs).extracting(run -> run.run().environment()).containsOnly("Agent");
        assertThat(run(runs, "passes").totalReward()).isEqualTo(1);
        assertThat(run(runs, "passes").isSolved()).isTrue();
        assertThat(run(runs, "passes").toolCalls()).isEqualTo(1);
        assertThat(run(runs, "misses").totalReward()).isZero();
        assertThat(run(runs, "misses").state()).isEqualTo(RunState.COMPLETED);
        assertThat(run(runs, "breaks").state()).isEqualTo(RunState.FAILED);
        assertThat(run(runs, "isRewarded").totalReward()).isEqualTo(0.25);
        assertThat(run(runs, "isSkipped").state()).isEqualTo(RunState.ABORTED);
    }

    private static RunSummary run(List<RunSummary> runs, String test) {
        return runs.stream()
                .filter(run ->
                        ("Agent." + test).equals(run.row().run().correlation().sample()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void rollouts_areAGroup_ofWhichSomeMayMiss() {
        List<RunSummary> runs = runs(
                Sometimes.class,
                counts -> counts.started(8).succeeded(4).failed(1).aborted(3));
        assertThat(runs).hasSize(8);
        assertThat(runs.stream()
                        .filter(run -> "Sometimes.enough"
                                .equals(run.row().run().correlation().sample()))
                        .map(RunSummary::totalReward))
                .containsExactlyInAnyOrder(1.0, 0.0, 1.0, 0.0);
        assertThat(runs)
                .extracting(run -> run.row().run().correlation().trajectoryIndex())
                .containsOnly(0, 1, 2, 3);
    }

    /** An agent that is tested. */
    @SuppressWarnings("DoNotCallSuggester") // JUnit does
    static final class Agent {
        @RecordedTest
        void passes() {
            Activity.current().startToolCall("search").close();
        }

        @RecordedTest
        void misses() {
            throw new AssertionError("41");
        }

        @RecordedTest
        void breaks() {
            throw new IllegalStateException("no model");
        }

        @RecordedTest
        void isRewarded(Run run) {
            run.reward(0.25);
        }

        @RecordedTest
        void isSkipped() {
            throw new org.opentest4j.TestAbortedException("no key");
        }
    }

    /** An agent that misses now and then. */
    static final class Sometimes {
        private static final AtomicInteger CALLS = new AtomicInteger();

        @RecordedTest(rollouts = 4, mustPass = 2)
        void enough() {
            assertThat(CALLS.getAndIncrement() % 2).isZero();
        }

        @RecordedTest(rollouts = 4, mustPass = 3)
        void tooFew() {
            assertThat(CALLS.getAndIncrement() % 2).isZero();
        }
    }
}
