package dev.rlm.benchmarks.journal;

import dev.rlm.benchmarks.Texts;

/** What the steps tell, made beforehand. */
final class StepText {
    private static final Texts TEXTS = new Texts(1);

    static final String OBSERVATION = TEXTS.prose(1_000);
    static final String CODE = TEXTS.code(500);
    static final String OUTPUT = TEXTS.prose(500);

    private StepText() {}
}
