package dev.rlm.runs.report.curves;

/** Spread and line of pairs of finite numbers, added a pair at a time (Welford). What rests on too few of them is NaN. */
public final class Moments {
    private long count;
    private double meanX;
    private double meanY;
    private double squaresX; // of the distances to the mean
    private double squaresY;
    private double products;

    public void add(double x, double y) {
        count++;
        double distanceX = x - meanX;
        double distanceY = y - meanY;
        meanX += distanceX / count;
        meanY += distanceY / count;
        squaresX += distanceX * (x - meanX);
        squaresY += distanceY * (y - meanY);
        products += distanceX * (y - meanY);
    }

    public long count() {
        return count;
    }

    /** Returns the sum of the squared distances of y to its mean. */
    double squaresY() {
        return squaresY;
    }

    /** Returns the standard deviation of y, as that of a sample. */
    double deviationY() {
        return count < 2 ? Double.NaN : Math.sqrt(squaresY / (count - 1));
    }

    /** Returns by how much y grows where x grows by one: the slope of the line of least squares. */
    public double slope() {
        return squaresX > 0 ? products / squaresX : Double.NaN;
    }

    /** Returns the standard error of the {@link #slope}. */
    double slopeError() {
        double rest = Math.max(0, squaresY - products * slope());
        return count < 3 ? Double.NaN : Math.sqrt(rest / (count - 2) / squaresX);
    }

    /** Returns Pearson's correlation. */
    public double correlation() {
        double scale = Math.sqrt(squaresX) * Math.sqrt(squaresY);
        return scale > 0 ? Math.max(-1, Math.min(1, products / scale)) : Double.NaN;
    }
}
