package dev.rlm.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What becomes of a process in which a thread of the recorder dies. */
class RecorderThreadsTest {
    @Test
    void threadThatDies_endsTheProcess_andSaysSo() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DyingThread.class.getName())
                .start();
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(err).contains("rlm: the recorder cannot go on: java.lang.OutOfMemoryError: no heap");
    }

    /** A program whose thread dies while it waits for it. */
    static final class DyingThread {
        private DyingThread() {}

        public static void main(String[] args) throws InterruptedException {
            RecorderThreads.daemon(DyingThread::die, "dying").start();
            new CountDownLatch(1).await();
        }

        private static void die() {
            throw new OutOfMemoryError("no heap");
        }
    }
}
