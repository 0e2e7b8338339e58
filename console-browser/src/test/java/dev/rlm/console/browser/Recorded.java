package dev.rlm.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

/** A journal with two steps of a training, a validation, failures and rewards of two parts. */
final class Recorded {
    private Recorded() {}

    static void into(Path journal) {
        for (int step = 1; step <= 3; step++) {
            assertThat(Site.rlm(
                            journal,
                            "run",
                            "--samples=6",
                            "--rollouts=3",
                            "--error-rate=0.2",
                            "--seed=" + step,
                            "--train-step=" + step,
                            "--policy-version=v" + step,
                            "--tag=side=" + (step == 1 ? "a" : "b"),
                            "--reward=exact=1.0,brevity=-0.1"))
                    .isZero();
        }
        assertThat(Site.rlm(
                        journal,
                        "run",
                        "--samples=4",
                        "--rollouts=2",
                        "--split=validation",
                        "--train-step=3",
                        "--policy-version=v3"))
                .isZero();
    }
}
