package dev.rlm.sinks.jsonl;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.rlm.journal.Journal;
import dev.rlm.journal.format.EventWriter;
import dev.rlm.journal.format.JsonLine;
import dev.rlm.journal.format.segment.LineBuffer;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("thorough")
class HugeOutputTest {
    private static final int HUNDRED_MILLION = 100_000_000;

    @TempDir
    Path directory;

    @Test
    void outputOfAHundredMegabytes_isRecordedByAProcessThatHasLessThanTenMore() throws Exception {
        int megabytes = (HUNDRED_MILLION >> 20) + 1 + 9;
        assertEndsWell(HugeOutput.start(directory, HUNDRED_MILLION, megabytes));
        RunEvent end = Journal.open(directory).events("huge").get(2);
        assertThat(((StepEnded) end).output().text())
                .startsWith("x")
                .contains("[CUT:" + (HUNDRED_MILLION - 2 * 262_144) + ":" + HUNDRED_MILLION + ":");
    }

    private static void assertEndsWell(Process process) throws InterruptedException {
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain text ", "déjà vu 😀 ", "a secret "})
    void hugeLine_takesLessThanTenMegabytesInAll(String piece) {
        RunInfo run = SampleEvents.richRun("r", "x");
        StepStarted start = new StepStarted(run, 1, 0, 1, RunEvent.NO_STEP, Content.EMPTY);
        LineBuffer buffer = new LineBuffer();
        JsonLine.append(buffer, line -> EventWriter.write(start, line)); // loads what it takes
        Content output = Content.of(
                piece.repeat(30_000_000 / piece.length()), text -> text.replace("secret", "[REDACTED:env:01234567]"));
        StepEnded end = StepEndedBuilder.builder()
                .started(start)
                .seq(2)
                .actionType("run")
                .output(output)
                .success(true)
                .build();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        JsonLine.append(buffer, line -> EventWriter.write(end, line));
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000_000);
    }
}
