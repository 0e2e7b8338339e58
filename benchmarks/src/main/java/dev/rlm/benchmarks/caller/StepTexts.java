package dev.rlm.benchmarks.caller;

import dev.rlm.benchmarks.Texts;

/** What a step tells: texts of 500 characters, made beforehand. */
final class StepTexts {
    private static final int LENGTH = 500;
    private static final Texts TEXTS = new Texts(1);

    static final String CODE = TEXTS.code(LENGTH);
    static final String OUTPUT = TEXTS.prose(LENGTH);

    private StepTexts() {}
}
