package dev.rlm.runner.demo;

/** An expression cannot be calculated. The message is one line: what is wrong with it and where. */
public final class CalculatorException extends ArithmeticException {
    private static final long serialVersionUID = 1;

    CalculatorException(String message) {
        super(message);
    }
}
