// A running mean in C++, with a template and a class.
//
//     nanoscope exceptions examples/average.cpp
//
// What Nanoscope shows: in `mean_of_three` the sum of three doubles overflows, in the
// template's instance for double. `mean_of_three_floats` computes in double and
// narrows at the end: its sum cannot overflow, and neither can the conversion to float,
// which a tiny mean still underflows in. `bucket` converts a quotient to an int that need not fit.

namespace {

template <typename Wide> class RunningMean {
public:
    void add(Wide value)
    {
        sum_ = sum_ + value;
        ++count_;
    }
    Wide mean() const { return sum_ / static_cast<Wide>(count_); }

private:
    Wide sum_ = 0;
    int count_ = 0;
};

} // namespace

double mean_of_three(double a, double b, double c)
{
    RunningMean<double> running;
    running.add(a);
    running.add(b);
    running.add(c);
    return running.mean();
}

float mean_of_three_floats(float a, float b, float c)
{
    RunningMean<double> running;
    running.add(a);
    running.add(b);
    running.add(c);
    return static_cast<float>(running.mean());
}

int bucket(double value, double width)
{
    return static_cast<int>(value / width);
}
