package dev.rlm.runner.demo;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An exact number: a fraction in lowest terms, its denominator above zero. */
public record Rational(BigInteger numerator, BigInteger denominator) {
    private static final Pattern NUMBER =
            Pattern.compile("([-+]?)[$€£]?([-+]?)((?:\\d+|\\d{1,3}(?:,\\d{3})+)(?:\\.\\d*)?|\\.\\d+)");
    private static final int SHOWN_DIGITS = 12;

    public Rational {
        if (denominator.signum() == 0) {
            throw new CalculatorException("division by zero");
        }
        BigInteger divisor = numerator.gcd(denominator);
        BigInteger signed = denominator.signum() < 0 ? divisor.negate() : divisor;
        numerator = numerator.divide(signed);
        denominator = denominator.divide(signed);
    }

    static Rational of(BigDecimal value) {
        return value.scale() <= 0
                ? new Rational(value.toBigIntegerExact(), BigInteger.ONE)
                : new Rational(value.unscaledValue(), BigInteger.TEN.pow(value.scale()));
    }

    /** A number as people write it, with thousands separators or a currency sign perhaps. */
    public static Optional<Rational> parse(String text) {
        Matcher number = NUMBER.matcher(text.strip());
        if (!number.matches() || (!number.group(1).isEmpty() && !number.group(2).isEmpty())) {
            return Optional.empty();
        }
        String sign = number.group(1) + number.group(2);
        return Optional.of(of(new BigDecimal(sign + number.group(3).replace(",", ""))));
    }

    Rational plus(Rational other) {
        return new Rational(
                numerator.multiply(other.denominator).add(other.numerator.multiply(denominator)),
                denominator.multiply(other.denominator));
    }

    Rational minus(Rational other) {
        return plus(other.negate());
    }

    Rational times(Rational other) {
        return new Rational(numerator.multiply(other.numerator), denominator.multiply(other.denominator));
    }

    Rational dividedBy(Rational other) {
        return new Rational(numerator.multiply(other.denominator), denominator.multiply(other.numerator));
    }

    Rational negate() {
        return new Rational(numerator.negate(), denominator);
    }

    /** Returns whether the two are the same but for the last digits of a floating-point calculation. */
    public boolean isCloseTo(Rational other) {
        double difference = Math.abs(minus(other).doubleValue());
        return difference <= 1e-9 * Math.max(1, Math.abs(doubleValue()));
    }

    private double doubleValue() {
        return new BigDecimal(numerator)
                .divide(new BigDecimal(denominator), MathContext.DECIMAL64)
                .doubleValue();
    }

    /** Returns it as a person would write it: whole numbers in full, others to twelve digits after the point. */
    @Override
    public String toString() {
        BigInteger whole = numerator.divide(denominator).abs();
        int wholeDigits = whole.signum() == 0 ? 0 : whole.toString().length();
        BigDecimal decimal = new BigDecimal(numerator)
                .divide(new BigDecimal(denominator), new MathContext(wholeDigits + SHOWN_DIGITS));
        return decimal.signum() == 0 ? "0" : decimal.stripTrailingZeros().toPlainString();
    }
}
