package dev.rlm.cli.recorded;

import dev.rlm.cli.terminal.JsonOutput;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;

/**
 * Agreement of two verdicts on the same runs, a tested one and the one that it is held against, by how often each of the four
 * pairs of verdicts came.
 *
 * @param both how many runs both say are solved
 * @param onlyTested how many the tested one alone does
 * @param onlyReference how many the other alone does
 * @param neither how many neither does
 */
public record Agreement(long both, long onlyTested, long onlyReference, long neither) {
    /** Of no runs. */
    public static final Agreement NONE = new Agreement(0, 0, 0, 0);

    private static final double NORMAL_QUANTILE = 1.959963984540054; // of a 95 % interval

    /** Returns that of one more run. */
    public Agreement with(boolean tested, boolean reference) {
        return new Agreement(
                both + (tested && reference ? 1 : 0),
                onlyTested + (tested && !reference ? 1 : 0),
                onlyReference + (!tested && reference ? 1 : 0),
                neither + (!tested && !reference ? 1 : 0));
    }

    public long runs() {
        return both + onlyTested + onlyReference + neither;
    }

    /** Returns the share of the runs on which both say the same; NaN where there are none. */
    public double observed() {
        return (double) (both + neither) / runs();
    }

    /** Returns the share of the runs not solved by the reference that the tested one says are; NaN where there are none. */
    public double falsePositives() {
        return (double) onlyTested / (onlyTested + neither);
    }

    /** Returns the share of the runs solved by the reference that the tested one says are not; NaN where there are none. */
    public double falseNegatives() {
        return (double) onlyReference / (both + onlyReference);
    }

    /**
     * Returns Cohen's kappa: the agreement beyond that of two verdicts that know nothing of each other and say solved as often;
     * 1 for full agreement, 0 for none beyond chance. NaN where both say the same of all runs, since chance would do so too.
     */
    public double kappa() {
        double chance = chance();
        return chance == 1 ? Double.NaN : (observed() - chance) / (1 - chance);
    }

    private double chance() {
        double tested = share(both + onlyTested);
        double reference = share(both + onlyReference);
        return tested * reference + (1 - tested) * (1 - reference);
    }

    private double share(long count) {
        return (double) count / runs();
    }

    /** Returns the lower end of the interval of 95 % for {@link #kappa}. */
    public double low() {
        return Math.max(-1, kappa() - NORMAL_QUANTILE * error());
    }

    /** Returns its upper end. */
    public double high() {
        return Math.min(1, kappa() + NORMAL_QUANTILE * error());
    }

    /** Returns kappa's standard error for many runs (Fleiss, Cohen and Everitt); NaN where there is no kappa. */
    public double error() {
        double kappa = kappa();
        double chance = chance();
        double tested = share(both + onlyTested);
        double reference = share(both + onlyReference);
        double same = share(both) * square(1 - (tested + reference) * (1 - kappa))
                + share(neither) * square(1 - (2 - tested - reference) * (1 - kappa));
        double different = square(1 - kappa)
                * (share(onlyTested) * square(reference + 1 - tested)
                        + share(onlyReference) * square(1 - reference + tested));
        double variance = (same + different - square(kappa - chance * (1 - kappa))) / (runs() * square(1 - chance));
        return Math.sqrt(Math.max(0, variance)); // below 0 by rounding alone
    }

    private static double square(double value) {
        return value * value;
    }

    /** Writes share and kappa as properties of the object that is open. */
    public void write(JsonGenerator json) {
        JsonOutput.number(json, "agreement", observed());
        JsonOutput.number(json, "kappa", kappa());
        JsonOutput.number(json, "kappa_low", low());
        JsonOutput.number(json, "kappa_high", high());
    }

    /** Returns kappa with its interval, as people read it. */
    public String kappaText() {
        return Double.isNaN(kappa())
                ? Numbers.NONE
                : String.format(Locale.ROOT, "%.3f (95 %% %.3f to %.3f)", kappa(), low(), high());
    }
}
