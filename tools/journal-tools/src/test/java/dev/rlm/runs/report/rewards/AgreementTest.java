package dev.rlm.runs.report.rewards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rlm.cli.recorded.Agreement;
import org.junit.jupiter.api.Test;

class AgreementTest {
    /** The error by the formula of Fleiss, Cohen and Everitt for this table, computed apart. */
    @Test
    void kappa_isWithItsIntervalAsStatisticiansHaveIt() {
        Agreement agreement = new Agreement(20, 5, 10, 15);

        assertThat(agreement.runs()).isEqualTo(50);
        assertThat(agreement.observed()).isEqualTo(0.7, within(1e-12));
        assertThat(agreement.kappa()).isEqualTo(0.4, within(1e-12));
        assertThat(agreement.error()).isEqualTo(0.12699606293110033, within(1e-12));
        assertThat(agreement.low()).isEqualTo(0.4 - 1.959963984540054 * 0.12699606293110033, within(1e-12));
        assertThat(agreement.falsePositives()).isEqualTo(5.0 / 20);
        assertThat(agreement.falseNegatives()).isEqualTo(10.0 / 30);
        assertThat(agreement.kappaText()).isEqualTo("0.400 (95 % 0.151 to 0.649)");
    }

    @Test
    void fullAgreement_hasKappaOne_unlessAllRunsAreAlike() {
        Agreement full = Agreement.NONE.with(true, true).with(false, false);
        Agreement alike = Agreement.NONE.with(true, true).with(true, true);

        assertThat(full.kappa()).isEqualTo(1);
        assertThat(full.low()).isEqualTo(1);
        assertThat(full.high()).isEqualTo(1);
        assertThat(alike.kappa()).isNaN();
        assertThat(alike.kappaText()).isEqualTo("-");
        assertThat(Agreement.NONE.observed()).isNaN();
    }
}
