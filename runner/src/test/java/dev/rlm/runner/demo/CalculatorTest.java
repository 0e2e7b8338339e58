package dev.rlm.runner.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CalculatorTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "16-3-4 | 9",
                "2+3*4 | 14",
                "(2+3)*4 | 20",
                "12/4/3 | 1",
                " 2 * ( 3 + 4 ) | 14",
                "0.1+0.2 | 0.3",
                ".5*4 | 2",
                "3. | 3",
                "5--3 | 8",
                "-(2+3) | -5",
                "2*-3 | -6",
                "1/3 | 0.333333333333",
                "2/3*3 | 2",
                "250/3 | 83.333333333333",
                "50*2 | 100",
                "0*5-0 | 0",
                "1,000*2 | 2000",
                "10,440,000/2 | 5220000",
                "50000*5% | 2500",
                "3*(2+150%) | 10.5",
                "1000000*1000000*1000000*1000000 | 1000000000000000000000000",
            })
    void expression_isCalculatedExactlyAndShownAsAPersonWould(String expression, String result) throws Exception {
        assertThat(Calculator.evaluate(expression)).hasToString(result);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "X*.25 | expected a number, found 'X' at character 1",
                "28-2x | expected an operator, found 'x' at character 5",
                "3+ | expected a number, found the end",
                "(1+2 | expected ')', found the end",
                "1+2) | expected an operator, found ')' at character 4",
                "¾*3 | expected a number, found '¾' at character 1",
                "2:15+2:38 | expected an operator, found ':' at character 2",
                "1,00 | expected an operator, found ',' at character 2",
                "400/(5-5) | division by zero",
                "\"\" | expected a number, found the end",
            })
    void expression_thatIsNotArithmetic_saysWhatWasExpected(String expression, String message) {
        assertThatThrownBy(() -> Calculator.evaluate(expression))
                .isInstanceOf(CalculatorException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource({"101,more than 100 parentheses", "1001,longer than 1000"})
    void expression_thatGoesTooFar_isRefused(int parentheses, String message) {
        assertThatThrownBy(() -> Calculator.evaluate("(".repeat(parentheses)))
                .isInstanceOf(CalculatorException.class)
                .hasMessageContaining(message);
    }
}
