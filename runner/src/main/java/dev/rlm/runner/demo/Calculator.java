package dev.rlm.runner.demo;

import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Calculates expressions exactly: numbers (thousands separators and a percent sign are understood), {@code + - * /},
 * signs and parentheses.
 */
public final class Calculator {
    private static final Pattern NUMBER = Pattern.compile("(?:\\d{1,3}(?:,\\d{3})+(?!\\d)|\\d+)(?:\\.\\d*)?|\\.\\d+");
    private static final Rational PERCENT = Rational.of(new BigDecimal("0.01"));
    private static final int MAX_LENGTH = 1000;
    private static final int MAX_DEPTH = 100;

    private final String text;
    private int position;
    private int depth;

    private Calculator(String text) {
        this.text = text;
    }

    /** The expression's value. */
    public static Rational evaluate(String expression) {
        if (expression.length() > MAX_LENGTH) {
            throw new CalculatorException("the expression is longer than " + MAX_LENGTH + " characters");
        }
        Calculator calculator = new Calculator(expression);
        Rational value = calculator.sum();
        if (calculator.position < expression.length()) {
            throw calculator.unexpected("an operator");
        }
        return value;
    }

    private Rational sum() {
        Rational value = product();
        while (true) {
            if (accept('+')) {
                value = value.plus(product());
            } else if (accept('-')) {
                value = value.minus(product());
            } else {
                return value;
            }
        }
    }

    private Rational product() {
        Rational value = signed();
        while (true) {
            if (accept('*')) {
                value = value.times(signed());
            } else if (accept('/')) {
                value = value.dividedBy(signed());
            } else {
                return value;
            }
        }
    }

    private Rational signed() {
        boolean negative = false;
        while (true) {
            if (accept('-')) {
                negative = !negative;
            } else if (!accept('+')) {
                break;
            }
        }
        Rational value = operand();
        if (accept('%')) {
            value = value.times(PERCENT);
        }
        return negative ? value.negate() : value;
    }

    private Rational operand() {
        if (accept('(')) {
            return parenthesis();
        }
        Matcher number = NUMBER.matcher(text).region(position, text.length());
        if (!number.lookingAt()) {
            throw unexpected("a number");
        }
        position = number.end();
        return Rational.of(new BigDecimal(number.group().replace(",", "")));
    }

    private Rational parenthesis() {
        if (++depth > MAX_DEPTH) {
            throw new CalculatorException("more than " + MAX_DEPTH + " parentheses are open");
        }
        Rational value = sum();
        if (!accept(')')) {
            throw unexpected("')'");
        }
        depth--;
        return value;
    }

    private boolean accept(char wanted) {
        while (position < text.length() && Character.isWhitespace(text.charAt(position))) {
            position++;
        }
        if (position < text.length() && text.charAt(position) == wanted) {
            position++;
            return true;
        }
        return false;
    }

    private CalculatorException unexpected(String expected) {
        String found = position < text.length()
                ? "'" + Character.toString(text.codePointAt(position)) + "' at character " + (position + 1)
                : "the end";
        return new CalculatorException("expected " + expected + ", found " + found);
    }
}
